import type { CID } from 'multiformats/cid'
import { UnixfsError } from '../unixfs-error.ts'
import { sha256Code } from './sha256-cid.ts'

/** A hash function that a CID may use. */
export type MultihashFunction = {
  /** Name in the table of multicodecs. */
  name: string
  /** Multihash code. */
  code: number
  /** Length of the whole digest in bytes. A CID may contain its first {@link minDigestBytes} or more. */
  digestBytes: number
}

/** Minimum length of a digest in bytes, as in Kubo: a shorter one is not safe. */
const minDigestBytes = 20

/** Multihash code of BLAKE2b with digests of one byte, minus one. */
const blake2bCode = 0xb200
const maxBlake2bBytes = 64

/** BLAKE2b has one code per length of its digest. */
const blake2b: readonly MultihashFunction[] = Array.from({ length: maxBlake2bBytes - minDigestBytes + 1 }, (_, at) => {
  const digestBytes = minDigestBytes + at
  return { name: `blake2b-${digestBytes * 8}`, code: blake2bCode + digestBytes, digestBytes }
})

/**
 * Supported hash functions: those that Kubo computes, except shake-256. Identity is not among them, because it hashes
 * nothing.
 * @see https://github.com/multiformats/multicodec/blob/master/table.csv
 */
export const hashFunctions: readonly MultihashFunction[] = [
  { name: 'sha1', code: 0x11, digestBytes: 20 },
  { name: 'sha2-256', code: sha256Code, digestBytes: 32 },
  { name: 'sha2-512', code: 0x13, digestBytes: 64 },
  { name: 'sha3-512', code: 0x14, digestBytes: 64 },
  { name: 'sha3-384', code: 0x15, digestBytes: 48 },
  { name: 'sha3-256', code: 0x16, digestBytes: 32 },
  { name: 'sha3-224', code: 0x17, digestBytes: 28 },
  { name: 'keccak-256', code: 0x1b, digestBytes: 32 },
  { name: 'keccak-512', code: 0x1d, digestBytes: 64 },
  { name: 'blake3', code: 0x1e, digestBytes: 32 },
  { name: 'dbl-sha2-256', code: 0x56, digestBytes: 32 },
  ...blake2b,
  { name: 'blake2s-256', code: 0xb260, digestBytes: 32 },
]

const byCode: ReadonlyMap<number, MultihashFunction> = new Map(hashFunctions.map((each) => [each.code, each]))

/** Names of functions that CIDs use and that are refused, for messages. */
const refusedNames: ReadonlyMap<number, string> = new Map([
  [0x18, 'shake-128'],
  [0x19, 'shake-256'],
  [0x1a, 'keccak-224'],
  [0x1c, 'keccak-384'],
  [0x22, 'murmur3-x64-64'],
  [0xd4, 'md4'],
  [0xd5, 'md5'],
  [0x1012, 'sha2-256-trunc254-padded'],
  [0xb401, 'poseidon-bls12_381-a2-fc1'],
])

/**
 * Checks the hash function of a CID and the length of its digest, which may be truncated.
 * @returns the function
 * @throws UnixfsError UNSUPPORTED: another function, or a digest that is shorter than 20 bytes or too long
 */
export function requireHashFunction(cid: CID): MultihashFunction {
  const { code, digest } = cid.multihash
  const found = byCode.get(code)
  const hex = `0x${code.toString(16)}`
  if (found === undefined) {
    const name = refusedNames.get(code)
    const what = name === undefined ? hex : `${name} (${hex})`
    throw new UnixfsError('UNSUPPORTED', `Hash function ${what} is not supported`, { cid: `${cid}` })
  }
  requireDigestLength(found, digest.length)
  return found
}

/**
 * Checks the length of a digest.
 * @throws UnixfsError UNSUPPORTED: shorter than 20 bytes, or longer than the function's
 */
export function requireDigestLength({ name, digestBytes }: MultihashFunction, length: number): void {
  if (length >= minDigestBytes && length <= digestBytes) return
  const range = digestBytes === minDigestBytes ? `${digestBytes}` : `${minDigestBytes} to ${digestBytes}`
  throw new UnixfsError('UNSUPPORTED', `A digest of ${name} has ${length} bytes, expected ${range}`)
}
