import { createPrivateKey, hash, sign } from 'node:crypto'

/** Computes SHA-256 synchronously. */
export const hashSha256 = (bytes: Uint8Array): Uint8Array => hash('sha256', bytes, 'buffer')

/** Prefix of a seed in RFC 8410. */
const privateKeyHead = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Signs with Ed25519 in a fifth of the time that JavaScript takes. */
export const signEd25519 = (message: Uint8Array, seed: Uint8Array): Uint8Array => {
  const key = createPrivateKey({ key: Buffer.concat([privateKeyHead, seed]), format: 'der', type: 'pkcs8' })
  return sign(null, message, key)
}
