import type { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import type { MultihashDigest } from 'multiformats/hashes/interface'
import { UnixfsError } from '../unixfs-error.ts'
import type { HashFunction } from './hash-function.ts'
import { sha256Code } from './sha256-cid.ts'

/** Maximum length of the digest of an identity CID, in bytes. @see https://specs.ipfs.tech/ipips/ipip-0512/ */
export const maxIdentityBytes = 128

const identityCode = 0
const sha256Bytes = 32

/**
 * Verifies that `bytes` match `cid`, by any of `hashFunctions` or as an identity CID. For SHA2-256 it uses `hash`, and
 * is synchronous if that is.
 * @throws UnixfsError HASH_MISMATCH; UNSUPPORTED as `requireHashFunction`; TOO_LARGE for identity beyond 128 bytes
 */
export function verifyBlock(cid: CID, bytes: Uint8Array, hash: HashFunction): void | Promise<void> {
  const { code, digest } = cid.multihash
  if (code === sha256Code && digest.length === sha256Bytes) {
    const actual = hash(bytes)
    if (actual instanceof Promise) return actual.then((ready) => compareDigests(cid, digest, ready))
    return compareDigests(cid, digest, actual)
  }
  if (code === identityCode) return compareDigests(cid, readIdentity(cid), bytes)
  return verifyOther(cid, bytes)
}

async function verifyOther(cid: CID, bytes: Uint8Array): Promise<void> {
  const { digestFor } = await import('./other-hashes.ts')
  compareDigests(cid, cid.multihash.digest, await digestFor(cid, bytes))
}

/**
 * Computes the multihash of a block.
 * @param name `identity`, or a name in `hashFunctions`
 * @param digestBytes length of the digest, to truncate it. Defaults to the whole digest.
 * @throws UnixfsError UNSUPPORTED: another name, or a length that no CID may have; TOO_LARGE: identity beyond 128 bytes
 */
export async function hashBlock(name: string, bytes: Uint8Array, digestBytes?: number): Promise<MultihashDigest> {
  if (name === 'identity') {
    if (bytes.length > maxIdentityBytes) throw tooLongForIdentity()
    if (digestBytes !== undefined && digestBytes !== bytes.length) {
      throw new UnixfsError('UNSUPPORTED', `An identity digest of ${bytes.length} bytes cannot have ${digestBytes}`)
    }
    return createDigest(identityCode, bytes)
  }
  const { hashNamed } = await import('./other-hashes.ts')
  const { code, digest } = await hashNamed(name, bytes, digestBytes)
  return createDigest(code, digest)
}

/** Returns whether the CID contains its block. */
export function isIdentityCid(cid: CID): boolean {
  return cid.multihash.code === identityCode
}

/**
 * Returns the block in an identity CID.
 * @throws UnixfsError TOO_LARGE beyond 128 bytes
 */
export function readIdentity(cid: CID): Uint8Array {
  const { digest } = cid.multihash
  if (digest.length > maxIdentityBytes) throw tooLongForIdentity()
  return digest
}

function tooLongForIdentity(): UnixfsError {
  return new UnixfsError('TOO_LARGE', `An identity CID has more than ${maxIdentityBytes} bytes`)
}

function compareDigests(cid: CID, expected: Uint8Array, actual: Uint8Array): void {
  let matches = expected.length === actual.length
  for (let at = 0; matches && at < expected.length; at++) matches = expected[at] === actual[at]
  if (!matches) throw new UnixfsError('HASH_MISMATCH', 'The bytes of a block do not match its CID', { cid: `${cid}` })
}
