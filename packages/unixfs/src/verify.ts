import type { CID } from 'multiformats/cid'
import type { HashFunction } from './hash-function.ts'
import { sha256Code } from './sha256-cid.ts'
import { UnixfsError } from './unixfs-error.ts'

/** Hash functions by multihash code, each with its full digest. */
export type HashTable = Readonly<Record<number, HashFunction>>

/** Longest identity CID that is accepted, in bytes of digest. @see https://specs.ipfs.tech/ipips/ipip-0512/ */
export const maxIdentityBytes = 128

const identityCode = 0

/**
 * Checks that `bytes` are those that `cid` names. SHA2-256 through `hash`, others when `hash` is a table that has them;
 * identity needs none. Answers at once when the hash does.
 * @throws UnixfsError HASH_MISMATCH; UNSUPPORTED for another hash function; TOO_LARGE for identity beyond 128 bytes.
 */
export function verifyBlock(cid: CID, bytes: Uint8Array, hash: HashFunction | HashTable): void | Promise<void> {
  const { code, digest } = cid.multihash
  if (code === identityCode) return compareDigests(cid, readIdentity(cid), bytes)
  const hashWith = typeof hash === 'function' ? (code === sha256Code ? hash : undefined) : hash[code]
  if (hashWith === undefined) {
    throw new UnixfsError('UNSUPPORTED', `Hash function 0x${code.toString(16)} is not spoken here`, { cid: `${cid}` })
  }
  const actual = hashWith(bytes)
  if (actual instanceof Promise) return actual.then((ready) => compareDigests(cid, digest, ready))
  return compareDigests(cid, digest, actual)
}

/** Whether the block of `cid` lies in the CID itself. */
export function isIdentityCid(cid: CID): boolean {
  return cid.multihash.code === identityCode
}

/** The block that lies in an identity CID. @throws UnixfsError TOO_LARGE beyond 128 bytes. */
export function readIdentity(cid: CID): Uint8Array {
  const { digest } = cid.multihash
  if (digest.length > maxIdentityBytes) {
    throw new UnixfsError('TOO_LARGE', `An identity CID of more than ${maxIdentityBytes} bytes`)
  }
  return digest
}

function compareDigests(cid: CID, expected: Uint8Array, actual: Uint8Array): void {
  let matches = expected.length === actual.length
  for (let at = 0; matches && at < expected.length; at++) matches = expected[at] === actual[at]
  if (!matches)
    throw new UnixfsError('HASH_MISMATCH', 'The bytes of a block are not those its CID names', { cid: `${cid}` })
}
