import { randomInt } from 'node:crypto'

const digestBytes = 32
/** Offset of a block that lies in another pack. */
const elsewhere = -2
const undecided = -1

/** The blocks of one pack, by digest: some 60 bytes each, so that a pack of any size can be indexed in memory. */
export type BlockTable = {
  readonly size: number
  /** Number of the block, or -1. */
  find(digest: Uint8Array): number
  /** Adds a block that is not there yet, and answers its number. */
  add(digest: Uint8Array, length: number): number
  /** The digest of a block; a view, valid until the next add. */
  digestOf(index: number): Uint8Array
  lengthOf(index: number): number
  /** Offset of the payload in this pack, or undefined while that is not known or when it lies in another. */
  offsetOf(index: number): number | undefined
  place(index: number, offset: number): void
  placeElsewhere(index: number): void
}

/** Multipliers nobody knows outside of this process: blocks cannot be made so that they all meet in one bucket. */
const seedA = randomInt(2 ** 31) * 2 + 1
const seedB = randomInt(2 ** 31) * 2 + 1

/** Makes an empty table. */
export function createBlockTable(): BlockTable {
  let count = 0
  let digests = new Uint8Array(64 * digestBytes)
  let offsets = new Float64Array(64)
  let lengths = new Uint32Array(64)
  let buckets = new Int32Array(256).fill(-1)

  const digestOf = (index: number): Uint8Array => digests.subarray(index * digestBytes, (index + 1) * digestBytes)

  const equals = (index: number, digest: Uint8Array): boolean => {
    const start = index * digestBytes
    for (let at = 0; at < digestBytes; at++) if (digests[start + at] !== digest[at]) return false
    return true
  }

  /** The bucket of this digest, or the empty one where it belongs. */
  const bucketOf = (digest: Uint8Array): number => {
    const mask = buckets.length - 1
    let bucket = (Math.imul(readWord(digest, 0), seedA) ^ Math.imul(readWord(digest, 4), seedB)) >>> 0
    bucket = (bucket ^ (bucket >>> 15)) & mask
    for (;;) {
      const index = buckets[bucket] ?? -1
      if (index < 0 || equals(index, digest)) return bucket
      bucket = (bucket + 1) & mask
    }
  }

  const grow = (): void => {
    digests = growTo(digests, new Uint8Array(digests.length * 2))
    offsets = growTo(offsets, new Float64Array(offsets.length * 2))
    lengths = growTo(lengths, new Uint32Array(lengths.length * 2))
    buckets = new Int32Array(offsets.length * 4).fill(-1)
    for (let index = 0; index < count; index++) buckets[bucketOf(digestOf(index))] = index
  }

  return {
    get size() {
      return count
    },
    find: (digest) => buckets[bucketOf(digest)] ?? -1,
    add(digest, length) {
      if (count === offsets.length) grow()
      const index = count++
      digests.set(digest, index * digestBytes)
      lengths[index] = length
      offsets[index] = undecided
      buckets[bucketOf(digest)] = index
      return index
    },
    digestOf,
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

function readWord(digest: Uint8Array, at: number): number {
  return (
    (digest[at] ?? 0) | ((digest[at + 1] ?? 0) << 8) | ((digest[at + 2] ?? 0) << 16) | ((digest[at + 3] ?? 0) << 24)
  )
}

function growTo<T extends Uint8Array | Float64Array | Uint32Array>(from: T, to: T): T {
  to.set(from)
  return to
}
