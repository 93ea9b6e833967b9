import { blockBytesMost, CairnError } from '@cairn/protocol'
import { encodeCarFrame } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { firstSlabBytes, type SlabPool, slabBytes } from './slab-pool.ts'

/** Room kept before a payload: the length of the frame (at most 4 bytes) and the CID (36), rounded up. */
const prefixBytesMost = 48

/** Frames of blocks, gathered for one write. `entries` are four numbers each: block, start, prefix and payload length. */
export type Slab = { readonly bytes: Uint8Array; length: number; readonly entries: number[] }

/** Numbers per entry of a slab. */
export const entryNumbers = 4

/** Lays frames one behind the other into slabs. */
export type SlabWriter = {
  /** Room in the current slab for a payload that will come with the next `add`. */
  allocate(sizeBytes: number): Uint8Array
  /** Adds the frame of block number `index`; nothing is copied where the payload lies in the room allocated last. */
  add(index: number, cid: CID, payload: Uint8Array): number
  /** The slab that is not full, which the writer then has no more. */
  takeLast(): Slab | undefined
}

/** `onFull` gets each slab as soon as the next block has no room in it. */
export function createSlabWriter(pool: SlabPool, onFull: (slab: Slab) => void): SlabWriter {
  let slab: Slab | undefined
  let slabCount = 0
  let roomOutstanding = false
  /** Frames of equal chunks have prefixes of equal length, so the room is right but for the last of a file. */
  let expectedPrefix = 39

  const slabWithRoom = (sizeBytes: number): Slab => {
    if (sizeBytes > slabBytes - prefixBytesMost) throw tooLarge()
    const needed = sizeBytes + prefixBytesMost
    if (slab !== undefined && slab.length + needed > slab.bytes.length) {
      onFull(slab)
      slab = undefined
    }
    if (slab === undefined) {
      const size = slabCount++ === 0 && needed <= firstSlabBytes ? firstSlabBytes : slabBytes
      slab = { bytes: pool.take(size), length: 0, entries: [] }
    }
    return slab
  }

  /** Where the payload starts in the current slab, or undefined where it lies elsewhere. */
  const startInSlab = (payload: Uint8Array): number | undefined => {
    if (slab === undefined || payload.buffer !== slab.bytes.buffer) return undefined
    const start = payload.byteOffset - slab.bytes.byteOffset
    if (!roomOutstanding || start < slab.length) throw new TypeError('A block in room that was given up')
    return start
  }

  return {
    allocate(sizeBytes) {
      const { bytes, length } = slabWithRoom(sizeBytes)
      roomOutstanding = true
      return bytes.subarray(length + expectedPrefix, length + expectedPrefix + sizeBytes)
    },
    add(index, cid, payload) {
      if (payload.length > blockBytesMost) throw tooLarge()
      const from = startInSlab(payload)
      roomOutstanding = false
      const prefix = encodeCarFrame(cid, payload.length)
      const target = from === undefined || slab === undefined ? slabWithRoom(payload.length) : slab
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
    takeLast() {
      const last = slab
      slab = undefined
      return last
    },
  }
}

function tooLarge(): CairnError {
  return new CairnError('PAYLOAD_TOO_LARGE', {
    message: 'A block is larger than allowed',
    details: { limitBytes: blockBytesMost },
  })
}
