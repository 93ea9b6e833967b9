import { secp256k1 } from '@noble/curves/secp256k1.js'

/** Returns whether a DER signature of this message is by this key. A separate module: few names need the curve. */
export function verifySecp256k1(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  return secp256k1.verify(signature, message, publicKey, { format: 'der', lowS: false })
}
