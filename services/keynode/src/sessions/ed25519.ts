import { createPrivateKey, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { ed25519SeedPrefix } from '@cairn/protocol'

/** DER of a public key before its 32 bytes. @see https://www.rfc-editor.org/rfc/rfc8410 */
const publicKeyHead = Buffer.from('302a300506032b6570032100', 'hex')

/** Both halves of a signing key. */
export type KeyPair = { privateKey: KeyObject; publicKey: KeyObject }

/** Imports the key of a seed of 32 bytes. */
export function importKeyPair(seed: Uint8Array): KeyPair {
  const privateKey = createPrivateKey({ key: Buffer.concat([ed25519SeedPrefix, seed]), format: 'der', type: 'pkcs8' })
  return { privateKey, publicKey: createPublicKey(privateKey) }
}

/** Imports a public key of 32 bytes. @throws the error of Node for bytes that are not a key */
export function importPublicKey(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([publicKeyHead, bytes]), format: 'der', type: 'spki' })
}

/** Returns the 32 bytes of a public key. */
export function exportPublicKey(key: KeyObject): Uint8Array {
  return new Uint8Array(key.export({ format: 'der', type: 'spki' }).subarray(publicKeyHead.length))
}

/** Verifies a signature with the code of the platform: a node does so for each request of a session. */
export function verifyEd25519(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  return verify(null, message, importPublicKey(publicKey), signature)
}
