import type { CID } from 'multiformats/cid'
import { cidOfName } from './double-hash.ts'

/** Returns the lookup key of content: its multihash, regardless of the CID's version and codec. */
export function keyOfCid({ multihash: { bytes } }: Pick<CID, 'multihash'>): string {
  return `c${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')}`
}

/** Returns the lookup key of an IPNS name: the multihash of its key. @throws CairnError INVALID_NAME */
export function keyOfName(name: string): string {
  return `n${Buffer.from(cidOfName(name).multihash.bytes).toString('latin1')}`
}

/** Returns the lookup key of a DNS name. */
export function keyOfDomain(host: string): string {
  return `d${host.toLowerCase().replace(/\.$/, '')}`
}
