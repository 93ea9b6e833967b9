import { CID } from 'multiformats/cid'
import { Digest } from 'multiformats/hashes/digest'

/** Multicodec of raw bytes. */
export const rawCode = 0x55
/** Multicodec of dag-pb. */
export const dagPbCode = 0x70
/** Multicodec of dag-cbor. */
export const dagCborCode = 0x71
/** Multicodec of dag-json. */
export const dagJsonCode = 0x0129
/** Multicodec of plain JSON, which has no links. */
export const jsonCode = 0x0200
/** Multicodec of plain CBOR, which has no links. */
export const cborCode = 0x51
/** Multihash code of SHA2-256. */
export const sha256Code = 0x12

/** Builds the CID of a SHA2-256 digest with one allocation; `code` below 128, version 0 only with dag-pb. */
export function createSha256Cid(version: 0 | 1, code: number, digest: Uint8Array): CID {
  const prefix = version === 0 ? 0 : 2
  const bytes = new Uint8Array(prefix + 34)
  if (version === 1) {
    bytes[0] = 1
    bytes[1] = code
  }
  bytes[prefix] = sha256Code
  bytes[prefix + 1] = 32
  bytes.set(digest, prefix + 2)
  const multihash = prefix === 0 ? bytes : bytes.subarray(prefix)
  return new CID(version, code, new Digest(sha256Code, 32, bytes.subarray(prefix + 2), multihash), bytes)
}
