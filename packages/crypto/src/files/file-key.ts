import { CairnError } from '@cairn/protocol'
import { parseScalar } from '../shards/group-order.ts'

/** Iterations of the first file format, as in published clients. */
const iterations = 250_000
const utf8 = new TextEncoder()

/** Purpose of a key. */
export type KeyUse = 'encrypt' | 'decrypt'

/**
 * Returns the text that the passwords of files are derived from: 64 lower-case hex characters.
 * @throws CairnError KEY_NOT_SHARDABLE to encrypt, DECRYPTION_FAILED to decrypt: an invalid key is the key of no file
 */
export function passwordOf(masterKey: string, use: KeyUse): Uint8Array<ArrayBuffer> {
  const text = masterKey.toLowerCase()
  // Keys of other clients may be any 64 digits, so only the form is checked.
  if (!/^[0-9a-f]{64}$/.test(text) || (parseScalar(text) === undefined && /^0+$/.test(text)))
    throw use === 'encrypt' ? new CairnError('KEY_NOT_SHARDABLE') : wrongKey()
  return utf8.encode(text)
}

/** Returns the error for a key that does not belong to the file. */
export function wrongKey(): CairnError {
  return new CairnError('DECRYPTION_FAILED', { message: 'The key does not match the file' })
}

/**
 * Derives the AES-256 key of a file of the first format: PBKDF2-SHA-256 over the **text** of the key, 250,000
 * iterations.
 * @param salt 16 bytes
 * @see https://www.rfc-editor.org/rfc/rfc8018
 */
export async function deriveBytesV1(
  masterKey: string,
  salt: Uint8Array<ArrayBuffer>,
  use: KeyUse,
): Promise<Uint8Array<ArrayBuffer>> {
  const password = await crypto.subtle.importKey('raw', passwordOf(masterKey, use), 'PBKDF2', false, ['deriveBits'])
  return new Uint8Array(
    await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations }, password, 256),
  )
}

/** Keys of a file of the second format. */
export type FileKeysV2 = {
  /** AES-256-GCM key of the chunks. */
  chunks: CryptoKey
  /** HMAC-SHA-256 key that authenticates the header. */
  header: CryptoKey
  /** 32 bytes that only this key produces: they distinguish a wrong key from changed data. */
  commitment: Uint8Array<ArrayBuffer>
}

/**
 * Derives the keys of a file of the second format, each for one purpose: HKDF-SHA-256 over the bytes of the key.
 * @param nonce 32 random bytes of the file
 * @see https://www.rfc-editor.org/rfc/rfc5869
 */
export async function deriveKeysV2(
  masterKey: string,
  nonce: Uint8Array<ArrayBuffer>,
  use: KeyUse,
): Promise<FileKeysV2> {
  const password = passwordOf(masterKey, use)
  const secret = await crypto.subtle.importKey('raw', password, 'HKDF', false, ['deriveKey', 'deriveBits'])
  const derivation = (info: string) => ({
    name: 'HKDF',
    hash: 'SHA-256',
    salt: nonce,
    info: utf8.encode(`cairn/file/2/${info}`),
  })
  const [chunks, header, commitment] = await Promise.all([
    crypto.subtle.deriveKey(derivation('chunks'), secret, { name: 'AES-GCM', length: 256 }, false, [
      'encrypt',
      'decrypt',
    ]),
    crypto.subtle.deriveKey(derivation('header'), secret, { name: 'HMAC', hash: 'SHA-256', length: 256 }, false, [
      'sign',
      'verify',
    ]),
    crypto.subtle.deriveBits(derivation('commitment'), secret, 256),
  ])
  return { chunks, header, commitment: new Uint8Array(commitment) }
}
