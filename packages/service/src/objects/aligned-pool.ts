import { alignmentBytes, allocateAligned } from './aligned-bytes.ts'

/** Reusable buffers for direct reads and writes: fresh pages cost more than the copy into them. */
export type AlignedPool = {
  /**
   * Returns a buffer for bytes that will begin at `position` of a file: it begins as far behind a page as the position is
   * behind a block, so that the bytes can be written directly.
   */
  acquire(sizeBytes: number, position: number): Uint8Array<ArrayBuffer>
  /** Takes back the buffer of these bytes, even if they are only a part of it. Nothing may use it any longer. */
  release(bytes: Uint8Array<ArrayBuffer>): void
}

/** Keeps up to `maxBytes` of buffers for reuse. */
export function createAlignedPool(maxBytes: number): AlignedPool {
  const spare = new Map<number, ArrayBuffer[]>()
  let kept = 0
  return {
    acquire(sizeBytes, position) {
      const found = spare.get(sizeBytes)?.pop()
      if (found !== undefined) kept -= sizeBytes
      const buffer = found ?? allocateAligned(sizeBytes + alignmentBytes).buffer
      return new Uint8Array(buffer, position % alignmentBytes, sizeBytes)
    },
    release({ buffer }) {
      const sizeBytes = buffer.byteLength - alignmentBytes
      if (kept + sizeBytes > maxBytes) {
        // Frees the memory now: the collector counts it, but does not run because of it.
        buffer.transfer(0)
        return
      }
      kept += sizeBytes
      const list = spare.get(sizeBytes) ?? []
      list.push(buffer)
      spare.set(sizeBytes, list)
    },
  }
}
