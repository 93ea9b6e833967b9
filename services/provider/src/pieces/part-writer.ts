import type { FileHandle } from 'node:fs/promises'
import { writeAll } from '@cairn/protocol'
import { directFromBytes, openDirectFile } from '@cairn/service/objects'

/** Writes a range of a part, front to back. */
export type PartWriter = {
  /** Appends bytes, all but an incomplete block of which are then in the file. */
  append(bytes: Uint8Array): Promise<void>
  /** Writes the incomplete block. Nothing is durable before a sync. */
  finish(): Promise<void>
  close(): Promise<void>
}

/** A part: its path, and the same file open for reading and writing. */
export type PartFile = { path: string; file: FileHandle }

/**
 * Continues a part with `lengthBytes` at `position`, at or after its end. What is large goes past the page cache, where no one
 * will look for it: challenges read a few bytes of it, now and then.
 */
export async function openPartWriter(
  { path, file }: PartFile,
  position: number,
  lengthBytes: number,
): Promise<PartWriter> {
  if (lengthBytes >= directFromBytes) {
    // After declared zeros.
    if ((await file.stat()).size < position) await file.truncate(position)
    const direct = await openDirectFile(path, file, position)
    if (direct !== undefined) return { ...direct, append: (bytes) => direct.append([bytes]) }
  }
  let at = position
  return {
    async append(bytes) {
      at += await writeAll(file, [bytes], at)
    },
    finish: async () => undefined,
    close: async () => undefined,
  }
}
