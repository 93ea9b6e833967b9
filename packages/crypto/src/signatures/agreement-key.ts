import { ed25519 } from '@noble/curves/ed25519.js'
import { parseDidKey } from './session-key.ts'

/**
 * Returns the X25519 key that belongs to an Ed25519 did:key: only the holder of the signing key can decrypt what is encrypted
 * with it. Undefined for text that is not such a did:key.
 * @see https://www.rfc-editor.org/rfc/rfc7748
 */
export function agreementKeyOf(didKey: string): Uint8Array | undefined {
  const publicKey = parseDidKey(didKey)
  return publicKey === undefined ? undefined : ed25519.utils.toMontgomery(publicKey)
}

/** Returns both halves of the X25519 key of an Ed25519 seed. */
export function agreementKeysOf(seed: Uint8Array): { publicKey: Uint8Array; secretKey: Uint8Array } {
  return {
    publicKey: ed25519.utils.toMontgomery(ed25519.getPublicKey(seed)),
    secretKey: ed25519.utils.toMontgomerySecret(seed),
  }
}
