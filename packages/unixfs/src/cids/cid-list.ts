import { CID } from 'multiformats/cid'
import { readCommonCid } from './read-cid.ts'

/** A list of CIDs that keeps their bytes only: a decoded CID takes many times their memory. */
export type CidList = {
  readonly length: number
  /** Bytes of memory that it takes. */
  readonly sizeBytes: number
  /** Decodes the CIDs between two positions. */
  slice(from: number, to: number): CID[]
  /** Returns the position of a CID between two positions, or -1. */
  indexOf(cid: CID, from: number, to: number): number
}

/** Copies the bytes of CIDs into a list. */
export function packCids(cids: readonly CID[]): CidList {
  const { length } = cids
  const starts = new Uint32Array(length + 1)
  for (const [at, { bytes }] of cids.entries()) starts[at + 1] = (starts[at] ?? 0) + bytes.length
  const packed = new Uint8Array(starts.at(-1) ?? 0)
  for (const [at, { bytes }] of cids.entries()) packed.set(bytes, starts[at])

  const isAt = (at: number, bytes: Uint8Array): boolean => {
    const start = starts[at] ?? 0
    if ((starts[at + 1] ?? 0) - start !== bytes.length) return false
    for (let index = 0; index < bytes.length; index++) if (packed[start + index] !== bytes[index]) return false
    return true
  }

  return {
    length,
    sizeBytes: packed.length + starts.byteLength,
    slice(from, to) {
      const some: CID[] = []
      const end = Math.min(to, length)
      // A copy each: keeping one CID does not keep the list.
      for (let at = from; at < end; at++) {
        const bytes = packed.subarray(starts[at], starts[at + 1])
        some.push(readCommonCid(bytes)?.cid ?? CID.decode(bytes.slice()))
      }
      return some
    },
    indexOf({ bytes }, from, to) {
      const end = Math.min(to, length)
      for (let at = from; at < end; at++) if (isAt(at, bytes)) return at
      return -1
    },
  }
}
