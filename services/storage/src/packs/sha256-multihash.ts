import { CairnError } from '@cairn/protocol'
import type { CID } from 'multiformats/cid'

const sha256Code = 0x12

/** The digest in a CID. @throws CairnError UNSUPPORTED_CODEC for another hash than SHA2-256. */
export function sha256DigestOf(cid: CID): Uint8Array {
  const { code, digest } = cid.multihash
  if (code === sha256Code && digest.length === 32) return digest
  throw new CairnError('UNSUPPORTED_CODEC', { details: { cid: `${cid}` } })
}

/** The multihash of a SHA2-256 digest, in bytes of its own. */
export function multihashOfDigest(digest: Uint8Array): Uint8Array {
  const multihash = new Uint8Array(34)
  multihash[0] = sha256Code
  multihash[1] = 32
  multihash.set(digest, 2)
  return multihash
}

/** A short string for maps: equal for equal bytes. */
export function bytesKey(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
