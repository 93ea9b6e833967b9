import { secp256k1 } from '@noble/curves/secp256k1.js'

/** Whether a signature, in DER, of this message is one by this key. A module of its own: few names need the curve. */
export function verifySecp256k1(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  return secp256k1.verify(signature, message, publicKey, { format: 'der', lowS: false })
}
