import { MIB } from '@cairn/protocol'

/** Bytes gathered for one write. */
export const slabBytes = 4 * MIB
/** The first slab of a pack is small: most uploads are. Room for one chunk of 256 KiB and its nodes. */
export const firstSlabBytes = 320 * 1024

/** Buffers that are used again: fresh pages cost more than the copy into them. */
export type SlabPool = { take(sizeBytes: number): Uint8Array; give(slab: Uint8Array): void }

/** Keeps up to `most` bytes of buffers for later. */
export function createSlabPool(most = 48 * MIB): SlabPool {
  const spare = new Map<number, Uint8Array[]>()
  let kept = 0
  return {
    take(sizeBytes) {
      const found = spare.get(sizeBytes)?.pop()
      if (found === undefined) return new Uint8Array(sizeBytes)
      kept -= sizeBytes
      return found
    },
    give(slab) {
      if (kept + slab.length > most) return
      kept += slab.length
      const list = spare.get(slab.length) ?? []
      list.push(slab)
      spare.set(slab.length, list)
    },
  }
}
