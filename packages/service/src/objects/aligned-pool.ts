import { alignmentBytes, allocateAligned, allocateSharedAligned } from './aligned-bytes.ts'

/** Reusable buffers for direct writes: fresh pages cost more than the copy into them. */
export type AlignedPool<B extends ArrayBufferLike = ArrayBuffer> = {
  /**
   * Returns a buffer for bytes that will begin at `position` of a file: it begins as far behind a page as the position is
   * behind a block, so that the bytes can be written directly.
   */
  acquire(sizeBytes: number, position: number): Uint8Array<B>
  /** Takes back the buffer of these bytes, of which they may be a part. No thread may use it any longer. */
  release(bytes: Uint8Array<B>): void
}

/** Keeps up to `maxBytes` of buffers for reuse. */
export function createAlignedPool(maxBytes: number): AlignedPool {
  return createPool(maxBytes, allocateAligned)
}

/** Keeps up to `maxBytes` of buffers that another thread can read in place. */
export function createSharedPool(maxBytes: number): AlignedPool<SharedArrayBuffer> {
  return createPool(maxBytes, allocateSharedAligned)
}

function createPool<B extends ArrayBufferLike>(
  maxBytes: number,
  allocate: (sizeBytes: number) => Uint8Array<B>,
): AlignedPool<B> {
  const spare = new Map<number, B[]>()
  let kept = 0
  return {
    acquire(sizeBytes, position) {
      const found = spare.get(sizeBytes)?.pop()
      if (found !== undefined) kept -= sizeBytes
      const buffer = found ?? allocate(sizeBytes + alignmentBytes).buffer
      return new Uint8Array(buffer, position % alignmentBytes, sizeBytes)
    },
    release({ buffer }) {
      const sizeBytes = buffer.byteLength - alignmentBytes
      if (kept + sizeBytes > maxBytes) return
      kept += sizeBytes
      const list = spare.get(sizeBytes) ?? []
      list.push(buffer)
      spare.set(sizeBytes, list)
    },
  }
}
