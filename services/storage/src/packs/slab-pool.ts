import { MIB } from '@cairn/protocol'
import { alignmentBytes, allocateAligned } from '@cairn/service/objects'

/** Bytes collected per write. */
export const slabBytes = 4 * MIB
/** The first slab of a pack is small, because most uploads are: space for one chunk of 256 KiB and its nodes. */
export const firstSlabBytes = 320 * 1024

/** Reusable buffers: fresh pages cost more than the copy into them. */
export type SlabPool = {
  /**
   * Returns a buffer for bytes that will begin at `position` of an object: it begins as far behind a page as the position is
   * behind a block, so that the bytes can be written directly.
   */
  acquire(sizeBytes: number, position: number): Uint8Array
  release(slab: Uint8Array): void
}

/** Keeps up to `maxBytes` of buffers for reuse. */
export function createSlabPool(maxBytes = 48 * MIB): SlabPool {
  const spare = new Map<number, Uint8Array[]>()
  let kept = 0
  return {
    acquire(sizeBytes, position) {
      const found = spare.get(sizeBytes)?.pop()
      if (found !== undefined) kept -= sizeBytes
      const { buffer } = found ?? allocateAligned(sizeBytes + alignmentBytes)
      return new Uint8Array(buffer, position % alignmentBytes, sizeBytes)
    },
    release(slab) {
      if (kept + slab.length > maxBytes) return
      kept += slab.length
      const list = spare.get(slab.length) ?? []
      list.push(slab)
      spare.set(slab.length, list)
    },
  }
}
