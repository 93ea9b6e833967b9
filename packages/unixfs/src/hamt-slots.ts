import { hashName } from './murmur3.ts'

const utf8 = new TextEncoder()

/** The slots that a name takes on each level of a HAMT; undefined below the last level that 64 bits of hash give. */
export function slotsOfName(name: string, fanout: number): (level: number) => number | undefined {
  const hash = hashName(utf8.encode(name))
  const bits = Math.log2(fanout)
  return (level) => {
    const from = level * bits
    if (from + bits > 64) return undefined
    let slot = 0
    for (let bit = from; bit < from + bits; bit++) {
      slot = slot * 2 + (((hash[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1)
    }
    return slot
  }
}
