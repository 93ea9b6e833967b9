import { randomInt } from 'node:crypto'
import { isSha256Multihash, multihashOfDigest } from '../block-key.ts'

const keyBytes = 32
/** Most packs have one block. */
const firstBlocks = 4
/** Offset of a block that lies in another pack. */
const elsewhere = -2
const undecided = -1

/**
 * The blocks of one pack by key: about 60 bytes each, so that a pack of any size can be indexed in memory. Blocks of
 * other hash functions than SHA2-256 need about 200 more, for their multihash.
 */
export type BlockTable = {
  readonly size: number
  /** Returns the number of the block, or -1. */
  find(key: Uint8Array): number
  /**
   * Adds a block that is not in the table and returns its number.
   * @param multihash the bytes that `key` was derived from
   */
  add(key: Uint8Array, length: number, multihash: Uint8Array): number
  /** Returns the multihash of a block. */
  multihashOf(index: number): Uint8Array
  lengthOf(index: number): number
  /** Offset of the payload in this pack, or undefined while that is not known or when it lies in another. */
  offsetOf(index: number): number | undefined
  place(index: number, offset: number): void
  placeElsewhere(index: number): void
}

/** Random multipliers per process: attackers cannot craft blocks that all fall into one bucket. */
const seedA = randomInt(2 ** 31) * 2 + 1
const seedB = randomInt(2 ** 31) * 2 + 1

/** Creates an empty table. */
export function createBlockTable(): BlockTable {
  let count = 0
  let keys = new Uint8Array(firstBlocks * keyBytes)
  /** Multihashes of other functions than SHA2-256, whose key is not their digest. */
  const others = new Map<number, Uint8Array>()
  let offsets = new Float64Array(firstBlocks)
  let lengths = new Uint32Array(firstBlocks)
  let buckets = new Int32Array(4 * firstBlocks).fill(-1)

  const keyOf = (index: number): Uint8Array => keys.subarray(index * keyBytes, (index + 1) * keyBytes)

  const equals = (index: number, key: Uint8Array): boolean => {
    const start = index * keyBytes
    for (let at = 0; at < keyBytes; at++) if (keys[start + at] !== key[at]) return false
    return true
  }

  /** Returns the bucket of this key, or the empty one that it belongs to. */
  const bucketOf = (key: Uint8Array): number => {
    const mask = buckets.length - 1
    let bucket = (Math.imul(readWord(key, 0), seedA) ^ Math.imul(readWord(key, 4), seedB)) >>> 0
    bucket = (bucket ^ (bucket >>> 15)) & mask
    for (;;) {
      const index = buckets[bucket] ?? -1
      if (index < 0 || equals(index, key)) return bucket
      bucket = (bucket + 1) & mask
    }
  }

  const grow = (): void => {
    keys = growTo(keys, new Uint8Array(keys.length * 2))
    offsets = growTo(offsets, new Float64Array(offsets.length * 2))
    lengths = growTo(lengths, new Uint32Array(lengths.length * 2))
    buckets = new Int32Array(offsets.length * 4).fill(-1)
    for (let index = 0; index < count; index++) buckets[bucketOf(keyOf(index))] = index
  }

  return {
    get size() {
      return count
    },
    find: (key) => buckets[bucketOf(key)] ?? -1,
    add(key, length, multihash) {
      if (count === offsets.length) grow()
      const index = count++
      keys.set(key, index * keyBytes)
      if (!isSha256Multihash(multihash)) others.set(index, multihash)
      lengths[index] = length
      offsets[index] = undecided
      buckets[bucketOf(key)] = index
      return index
    },
    multihashOf: (index) => others.get(index) ?? multihashOfDigest(keyOf(index)),
    lengthOf: (index) => lengths[index] ?? 0,
    offsetOf(index) {
      const offset = offsets[index] ?? undecided
      return offset < 0 ? undefined : offset
    },
    place(index, offset) {
      offsets[index] = offset
    },
    placeElsewhere(index) {
      offsets[index] = elsewhere
    },
  }
}

function readWord(key: Uint8Array, at: number): number {
  return (key[at] ?? 0) | ((key[at + 1] ?? 0) << 8) | ((key[at + 2] ?? 0) << 16) | ((key[at + 3] ?? 0) << 24)
}

function growTo<T extends Uint8Array | Float64Array | Uint32Array>(from: T, to: T): T {
  to.set(from)
  return to
}
