import { packCids } from '../cids/cid-list.ts'
import type { DagLink } from './dag-pb.ts'

const utf8 = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Copies links into a list that keeps their bytes only, and decodes them one by one: decoded links take ten times their memory, and
 * a block has up to 50,000.
 */
export function packLinks(links: readonly DagLink[]): Iterable<DagLink> {
  const { length } = links
  const cids = packCids(links.map(({ cid }) => cid))
  const sizes = Float64Array.from(links, ({ sizeBytes = Number.NaN }) => sizeBytes)
  const ends = new Uint32Array(length)
  // A character has three bytes at most, and those with more count as two.
  const buffer = new Uint8Array(links.reduce((sum, { name }) => sum + 3 * name.length, 0))
  let end = 0
  for (const [at, { name }] of links.entries()) {
    end += utf8.encodeInto(name, buffer.subarray(end)).written
    ends[at] = end
  }
  const names = buffer.slice(0, end)
  return {
    *[Symbol.iterator]() {
      for (let at = 0; at < length; at++) {
        const [cid] = cids.slice(at, at + 1)
        if (cid === undefined) return
        const name = decoder.decode(names.subarray(at === 0 ? 0 : ends[at - 1], ends[at]))
        const sizeBytes = sizes[at] ?? Number.NaN
        yield Number.isNaN(sizeBytes) ? { cid, name } : { cid, name, sizeBytes }
      }
    },
  }
}
