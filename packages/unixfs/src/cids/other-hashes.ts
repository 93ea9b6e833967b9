import {
  createBLAKE2b,
  createBLAKE2s,
  createBLAKE3,
  createKeccak,
  createSHA1,
  createSHA3,
  createSHA256,
  createSHA512,
  type IHasher,
} from 'hash-wasm'
import type { CID } from 'multiformats/cid'
import { UnixfsError } from '../unixfs-error.ts'
import { hashFunctions, type MultihashFunction, requireDigestLength, requireHashFunction } from './hash-functions.ts'

// In WebAssembly, because in JavaScript BLAKE2b and Keccak take 10 to 20 times as long. A module of its own, so that
// applications load it with the first CID that needs it.

/** Hashers by multihash code. Each is reused: from `init` to `digest` nothing else runs. */
const hashers = new Map<number, Promise<IHasher>>()

function createHasher({ name, digestBytes }: MultihashFunction): Promise<IHasher> {
  const bits = digestBytes * 8
  if (name.startsWith('blake2b-')) return createBLAKE2b(bits)
  switch (name) {
    case 'sha1':
      return createSHA1()
    case 'sha2-256':
    case 'dbl-sha2-256':
      return createSHA256()
    case 'sha2-512':
      return createSHA512()
    case 'blake2s-256':
      return createBLAKE2s(bits)
    case 'blake3':
      return createBLAKE3(bits)
    case 'sha3-224':
      return createSHA3(224)
    case 'sha3-256':
      return createSHA3(256)
    case 'sha3-384':
      return createSHA3(384)
    case 'sha3-512':
      return createSHA3(512)
    case 'keccak-256':
      return createKeccak(256)
    case 'keccak-512':
      return createKeccak(512)
    default:
      throw new TypeError(`No implementation of ${name}`)
  }
}

async function hasherOf(fn: MultihashFunction): Promise<IHasher> {
  const known = hashers.get(fn.code)
  if (known !== undefined) return known
  const created = createHasher(fn)
  hashers.set(fn.code, created)
  // A failure, such as too little memory, may pass.
  created.catch(() => hashers.delete(fn.code))
  return created
}

/** Computes the first `digestBytes` of the digest of `bytes`. */
async function hashWith(fn: MultihashFunction, bytes: Uint8Array, digestBytes: number): Promise<Uint8Array> {
  const hasher = await hasherOf(fn)
  const digest = hasher.init().update(bytes).digest('binary')
  const whole = fn.name === 'dbl-sha2-256' ? hasher.init().update(digest).digest('binary') : digest
  return whole.subarray(0, digestBytes)
}

/**
 * Computes the digest that a CID of these bytes has, with its function and length.
 * @throws UnixfsError UNSUPPORTED
 */
export async function digestFor(cid: CID, bytes: Uint8Array): Promise<Uint8Array> {
  return hashWith(requireHashFunction(cid), bytes, cid.multihash.digest.length)
}

/**
 * Computes a digest with the function of this name.
 * @throws UnixfsError UNSUPPORTED
 */
export async function hashNamed(
  name: string,
  bytes: Uint8Array,
  digestBytes?: number,
): Promise<{ code: number; digest: Uint8Array }> {
  const fn = hashFunctions.find((each) => each.name === name)
  if (fn === undefined) throw new UnixfsError('UNSUPPORTED', `Hash function ${name} is not supported`)
  requireDigestLength(fn, digestBytes ?? fn.digestBytes)
  return { code: fn.code, digest: await hashWith(fn, bytes, digestBytes ?? fn.digestBytes) }
}
