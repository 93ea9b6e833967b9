import { hash } from 'node:crypto'

/** Computes SHA-256 in one call, the fastest in Node. */
export function hashSha256(bytes: Uint8Array): Uint8Array {
  return hash('sha256', bytes, 'buffer')
}

/** Computes SHA-256 of ranges of memory, given as pairs of offset and length: 32 bytes each, concatenated. */
export function hashRanges(memory: ArrayBuffer, ranges: readonly number[]): Uint8Array {
  const digests = new Uint8Array((ranges.length / 2) * 32)
  for (let at = 0; at < ranges.length; at += 2) {
    digests.set(hashSha256(new Uint8Array(memory, ranges[at], ranges[at + 1])), (at / 2) * 32)
  }
  return digests
}
