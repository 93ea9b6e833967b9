import { UnixfsError, verifyBlock } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { decode as decodeMultihash } from 'multiformats/hashes/digest'
import { isSha256, isSha256Multihash } from '../block-key.ts'
import { hashSha256 } from '../hash-sha256.ts'

const rawCode = 0x55

/**
 * Returns whether bytes match the hash of their CID; synchronous for SHA2-256.
 * @param sha256 the SHA2-256 digest of the bytes, if it is computed already
 */
export function isBlockOf(cid: CID, bytes: Uint8Array, sha256?: Uint8Array): boolean | Promise<boolean> {
  if (isSha256(cid)) return Buffer.compare(cid.multihash.digest, sha256 ?? hashSha256(bytes)) === 0
  return matchesOther(cid, bytes)
}

/** Returns whether bytes match a multihash; synchronous for SHA2-256. */
export function isBlockOfMultihash(multihash: Uint8Array, bytes: Uint8Array): boolean | Promise<boolean> {
  if (isSha256Multihash(multihash)) return Buffer.compare(multihash.subarray(2), hashSha256(bytes)) === 0
  return matchesOther(CID.createV1(rawCode, decodeMultihash(multihash)), bytes)
}

async function matchesOther(cid: CID, bytes: Uint8Array): Promise<boolean> {
  try {
    await verifyBlock(cid, bytes, hashSha256)
    return true
  } catch (error) {
    if (UnixfsError.is(error, 'HASH_MISMATCH')) return false
    throw error
  }
}
