import { writeNameHash } from './murmur3.ts'

const utf8 = new TextEncoder()

/** Returns the slots of a name on each level of a HAMT; undefined below the last level of 64 bits of hash. */
export function slotsOfName(name: string, fanout: number): (level: number) => number | undefined {
  const hash = new Uint8Array(8)
  writeNameHash(utf8.encode(name), hash, 0)
  const bits = Math.log2(fanout)
  return (level) => ((level + 1) * bits > 64 ? undefined : readSlot(hash, 0, level, bits))
}

/** Returns the slot on a level from the 8-byte hash at `offset`, in shards of 2^bits slots. */
export function readSlot(hashes: Uint8Array, offset: number, level: number, bits: number): number {
  if (bits === 8) return hashes[offset + level] ?? 0
  let slot = 0
  for (let bit = level * bits; bit < (level + 1) * bits; bit++) {
    slot = slot * 2 + (((hashes[offset + (bit >> 3)] ?? 0) >> (7 - (bit & 7))) & 1)
  }
  return slot
}
