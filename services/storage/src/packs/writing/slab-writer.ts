import { CairnError, KIB, MIB, maxBlockBytes } from '@cairn/protocol'
import type { AlignedPool } from '@cairn/service/objects'
import { encodeCarFrame } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'

/**
 * Bytes collected per write: eight chunks of 256 KiB, or the largest block, with their frames. Writes of twice as much take
 * as long, and hold twice the memory.
 */
const slabBytes = 2 * MIB + 8 * KIB
/** The first slab of a pack is small, because most uploads are: space for one chunk of 256 KiB and its nodes. */
const firstSlabBytes = 320 * KIB
/**
 * Space reserved before a payload: the length of the frame (at most 4 bytes) and the CID (36, or up to 72 with a digest
 * of 64 bytes), rounded up.
 */
const maxPrefixBytes = 80

/**
 * Frames of blocks, collected for one write. `entries` holds four numbers per entry: block, start, prefix length and
 * payload length.
 */
export type Slab = { readonly bytes: Uint8Array<ArrayBuffer>; length: number; readonly entries: number[] }

/** Numbers per entry of a slab. */
export const entryNumbers = 4

/** Appends frames to slabs. */
export type SlabWriter = {
  /** Allocates a region in the current slab for a payload that comes with the next `add`. */
  allocate(sizeBytes: number): Uint8Array
  /** Adds the frame of block number `index`; copies nothing when the payload lies in the region allocated last. */
  add(index: number, cid: CID, payload: Uint8Array): number
  /** Returns the partially filled slab and detaches it from the writer. */
  detachLast(): Slab | undefined
}

/**
 * `onFull` receives each slab as soon as the next block does not fit into it; `nextPosition` then returns where the next one
 * will probably begin in the object.
 */
export function createSlabWriter(
  pool: AlignedPool,
  onFull: (slab: Slab) => void,
  nextPosition: () => number,
): SlabWriter {
  let slab: Slab | undefined
  let slabCount = 0
  let reservedBytes = false
  /**
   * Frames of equal chunks have prefixes of equal length, so the offset is right except for the last frame of a file.
   */
  let expectedPrefix = 39

  const slabWithSpace = (sizeBytes: number): Slab => {
    if (sizeBytes > slabBytes - maxPrefixBytes) throw tooLarge()
    const needed = sizeBytes + maxPrefixBytes
    if (slab !== undefined && slab.length + needed > slab.bytes.length) {
      onFull(slab)
      slab = undefined
    }
    if (slab === undefined) {
      const size = slabCount++ === 0 && needed <= firstSlabBytes ? firstSlabBytes : slabBytes
      slab = { bytes: pool.acquire(size, nextPosition()), length: 0, entries: [] }
    }
    return slab
  }

  /** Returns the payload's offset in the current slab, or undefined when it lies elsewhere. */
  const startInSlab = (payload: Uint8Array): number | undefined => {
    if (slab === undefined || payload.buffer !== slab.bytes.buffer) return undefined
    const start = payload.byteOffset - slab.bytes.byteOffset
    if (!reservedBytes || start < slab.length) throw new TypeError('A block in a region that was released')
    return start
  }

  return {
    allocate(sizeBytes) {
      const { bytes, length } = slabWithSpace(sizeBytes)
      reservedBytes = true
      return bytes.subarray(length + expectedPrefix, length + expectedPrefix + sizeBytes)
    },
    add(index, cid, payload) {
      if (payload.length > maxBlockBytes) throw tooLarge()
      const from = startInSlab(payload)
      reservedBytes = false
      const prefix = encodeCarFrame(cid, payload.length)
      const target = from === undefined || slab === undefined ? slabWithSpace(payload.length) : slab
      const start = target.length
      const payloadStart = start + prefix.length
      if (from === undefined) target.bytes.set(payload, payloadStart)
      else if (from !== payloadStart) target.bytes.copyWithin(payloadStart, from, from + payload.length)
      target.bytes.set(prefix, start)
      target.length = payloadStart + payload.length
      target.entries.push(index, start, prefix.length, payload.length)
      expectedPrefix = prefix.length
      return prefix.length + payload.length
    },
    detachLast() {
      const last = slab
      slab = undefined
      return last
    },
  }
}

function tooLarge(): CairnError {
  return new CairnError('PAYLOAD_TOO_LARGE', {
    message: 'A block is larger than allowed',
    details: { limitBytes: maxBlockBytes },
  })
}
