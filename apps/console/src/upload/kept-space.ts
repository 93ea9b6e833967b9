/** Limits for the unfinished uploads of this browser: their number, and bytes of one file, and of all files. */
export type SpaceLimits = { maxUploads: number; maxFileBytes: number; maxTotalBytes: number }

/** Counts stored uploads and bytes before they are written, because the uploads of one start are written at the same time. */
export type KeptSpace = {
  has(id: string): boolean
  /**
   * Counts an upload.
   * @returns false if there are too many
   */
  add(id: string, keptBytes: number): boolean
  /** Sets the number of stored bytes of an upload. */
  set(id: string, keptBytes: number): void
  /**
   * Replaces the bytes counted for an upload.
   * @returns false if there are too many; the upload then counts no bytes
   */
  hold(id: string, sizes: readonly number[]): boolean
  remove(id: string): void
}

/** @param kept bytes of the uploads that are there, by their ids */
export function createSpace(
  { maxUploads, maxFileBytes, maxTotalBytes }: SpaceLimits,
  kept: Iterable<readonly [id: string, keptBytes: number]>,
): KeptSpace {
  const bytesById = new Map<string, number>()
  // Counted along, because adding up all for each of thousands of uploads would block the page.
  let totalBytes = 0
  const set = (id: string, keptBytes: number) => {
    totalBytes += keptBytes - (bytesById.get(id) ?? 0)
    bytesById.set(id, keptBytes)
  }
  for (const [id, keptBytes] of kept) set(id, keptBytes)
  return {
    has: (id) => bytesById.has(id),
    add(id, keptBytes) {
      if (bytesById.size >= maxUploads && !bytesById.has(id)) return false
      set(id, keptBytes)
      return true
    },
    set,
    hold(id, sizes) {
      if (!bytesById.has(id)) return false
      set(id, 0)
      const bytes = sizes.reduce((sum, size) => sum + size, 0)
      if (totalBytes + bytes > maxTotalBytes || sizes.some((size) => size > maxFileBytes)) return false
      set(id, bytes)
      return true
    },
    remove(id) {
      set(id, 0)
      bytesById.delete(id)
    },
  }
}
