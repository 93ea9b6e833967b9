import { hash } from 'node:crypto'
import { CairnError } from '@cairn/protocol'
import { requireHashFunction, UnixfsError } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'

const sha256Code = 0x12
const sha256Bytes = 32
const sha256MultihashBytes = 34

/** Whether a multihash is a whole SHA2-256 digest, which is the usual case and the fast one. */
export function isSha256({ multihash: { code, digest } }: Pick<CID, 'multihash'>): boolean {
  return code === sha256Code && digest.length === sha256Bytes
}

/** Whether the bytes of a multihash are a whole SHA2-256 digest. */
export function isSha256Multihash(multihash: Uint8Array): boolean {
  return multihash.length === sha256MultihashBytes && multihash[0] === sha256Code && multihash[1] === sha256Bytes
}

/**
 * Returns the key of a block in the table of a pack, always 32 bytes.
 * @throws CairnError UNSUPPORTED_CODEC for a hash function that blocks cannot be verified with
 */
export function blockKeyOf(cid: CID): Uint8Array {
  if (isSha256(cid)) return cid.multihash.digest
  requireHash(cid)
  return hashMultihash(cid.multihash.bytes)
}

/** Returns the key of a block by the bytes of its multihash. */
export function blockKeyOfMultihash(multihash: Uint8Array): Uint8Array {
  return isSha256Multihash(multihash) ? multihash.subarray(2) : hashMultihash(multihash)
}

/**
 * Maps the multihash of another function to 32 bytes. SHA-512/256, not SHA-256: otherwise a block that consists of
 * this multihash would have the same key, and would take the place of the block that it names.
 */
function hashMultihash(multihash: Uint8Array): Uint8Array {
  return hash('sha512-256', multihash, 'buffer')
}

/**
 * Checks that the blocks of a CID can be verified.
 * @throws CairnError UNSUPPORTED_CODEC
 */
export function requireHash(cid: CID): void {
  if (isSha256(cid)) return
  try {
    requireHashFunction(cid)
  } catch (error) {
    if (!UnixfsError.is(error, 'UNSUPPORTED')) throw error
    throw new CairnError('UNSUPPORTED_CODEC', { message: error.message, details: { cid: `${cid}` }, cause: error })
  }
}

/** Returns the multihash of a SHA2-256 digest, in a new array. */
export function multihashOfDigest(digest: Uint8Array): Uint8Array {
  const multihash = new Uint8Array(sha256MultihashBytes)
  multihash[0] = sha256Code
  multihash[1] = sha256Bytes
  multihash.set(digest, 2)
  return multihash
}

/** Returns a short string for map keys: equal for equal bytes. */
export function bytesKey(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
