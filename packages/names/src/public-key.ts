import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { create } from 'multiformats/hashes/digest'
import type { MultihashDigest } from 'multiformats/hashes/interface'
import { readFields, writeFields } from './fields.ts'

const identity = 0x00
const sha2256 = 0x12
/** Maximum size of a key that is inlined in its name; names of larger keys contain the hash. */
const maxInlineBytes = 42
const rsaBits = { min: 2048, max: 8192 }

/** Key types by their libp2p number. ECDSA (3) is optional in the specification, and not supported. */
const types = { rsa: 0n, ed25519: 1n, secp256k1: 2n }

/** A public key of libp2p that can sign names. */
export type PublicKey = { readonly type: 'rsa' | 'ed25519' | 'secp256k1'; readonly key: Uint8Array<ArrayBuffer> }

/**
 * Parses a public key in the libp2p format; undefined for an unsupported one.
 * @see https://github.com/libp2p/specs/blob/master/peer-ids/peer-ids.md
 */
export function readPublicKey(bytes: Uint8Array): PublicKey | undefined {
  const fields = readFields(bytes)
  const type = fields?.get(1)
  const key = fields?.get(2)
  if (fields?.size !== 2 || !(key instanceof Uint8Array)) return undefined
  const copy = Uint8Array.from(key)
  if (type === types.ed25519 && key.length === 32) return { type: 'ed25519', key: copy }
  if (type === types.secp256k1 && key.length === 33) return { type: 'secp256k1', key: copy }
  if (type === types.rsa) return { type: 'rsa', key: copy }
  return undefined
}

/** Encodes a public key in the libp2p format. */
function writePublicKey({ type, key }: PublicKey): Uint8Array {
  return writeFields([
    [1, types[type]],
    [2, key],
  ])
}

/** Returns the multihash in the name of a key: the key itself if it is short, else its hash. */
export function hashPublicKey(publicKey: PublicKey): MultihashDigest {
  const bytes = writePublicKey(publicKey)
  return bytes.length <= maxInlineBytes ? create(identity, bytes) : create(sha2256, sha256(bytes))
}

/**
 * Returns the key inlined in the multihash of a name; undefined if it contains only a hash, or a non-canonical
 * encoding.
 */
export function inlineKey(hash: MultihashDigest): PublicKey | undefined {
  if (hash.code !== identity || hash.size > maxInlineBytes) return undefined
  const key = readPublicKey(hash.digest)
  // In another field order, the same key would have a second name.
  const written = key === undefined ? undefined : writePublicKey(key)
  return written?.length === hash.size && written.every((byte, at) => byte === hash.digest[at]) ? key : undefined
}

/** Returns whether a multihash is that of a key: an inlined readable key, or a SHA-256. */
export function isKeyHash(hash: MultihashDigest): boolean {
  return (hash.code === sha2256 && hash.size === 32) || inlineKey(hash) !== undefined
}

/** Returns whether a signature of this message is by this key. Curves other than Ed25519 load on demand. */
export async function verifySignature(
  { type, key }: PublicKey,
  signature: Uint8Array,
  message: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  try {
    if (type === 'ed25519') return ed25519.verify(signature, message, key, { zip215: false })
    if (type === 'secp256k1') {
      const { verifySecp256k1 } = await import('./verify-secp256k1.ts')
      return verifySecp256k1(signature, message, key)
    }
    const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
    const rsa = await crypto.subtle.importKey('spki', key, algorithm, false, ['verify'])
    const bits = 'modulusLength' in rsa.algorithm ? Number(rsa.algorithm.modulusLength) : 0
    if (bits < rsaBits.min || bits > rsaBits.max) return false
    return await crypto.subtle.verify(algorithm.name, rsa, Uint8Array.from(signature), message)
  } catch {
    // An unreadable key or signature is invalid.
    return false
  }
}
