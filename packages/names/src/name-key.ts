import { CairnError } from '@cairn/protocol'
import { ed25519 } from '@noble/curves/ed25519.js'
import { nameOfHash } from './parse-name.ts'
import { hashPublicKey } from './public-key.ts'

/** Bytes of an Ed25519 seed, and of a public key. */
export const keyBytes = 32

/** A key that publishes one name. Anyone with the seed can publish it: never log it, never send it. */
export type NameKey = {
  /** The name in its canonical form (k51…). */
  readonly name: string
  /** Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array
  /** The secret half, 32 bytes. */
  readonly seed: Uint8Array
}

/** Creates a new key, and so a new name, from the random source of the system. */
export async function createNameKey(): Promise<NameKey> {
  return nameKeyFromSeed(crypto.getRandomValues(new Uint8Array(keyBytes)))
}

/**
 * Returns the key of a seed of 32 bytes.
 * @throws CairnError INVALID_NAME_KEY for another length
 */
export async function nameKeyFromSeed(seed: Uint8Array): Promise<NameKey> {
  if (seed.length !== keyBytes) throw new CairnError('INVALID_NAME_KEY')
  const publicKey = Uint8Array.from(ed25519.getPublicKey(seed))
  return {
    name: nameOfHash(hashPublicKey({ type: 'ed25519', key: publicKey })),
    publicKey,
    seed: Uint8Array.from(seed),
  }
}
