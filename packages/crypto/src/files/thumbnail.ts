import { CairnError } from '@cairn/protocol'
import { type KeyUse, passwordOf } from './file-key.ts'

const version = 1
const nonceBytes = 12
const tagBytes = 16
const utf8 = new TextEncoder()

/**
 * Encrypts a thumbnail of an encrypted file under the key of that file: a version byte (1), a random nonce of 12 bytes, and
 * AES-256-GCM with the CID of the file as additional data. The key is HKDF-SHA-256 over the text of the file key, with
 * an empty salt and the info `cairn/thumbnail/1`.
 * @param masterKey 64 hex characters
 * @throws CairnError KEY_NOT_SHARDABLE
 * @see https://www.rfc-editor.org/rfc/rfc5869
 */
export async function sealThumbnail(image: Uint8Array, cid: string, masterKey: string): Promise<Uint8Array> {
  const iv = crypto.getRandomValues(new Uint8Array(nonceBytes))
  const key = await deriveKey(masterKey, 'encrypt')
  const sealed = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv, additionalData: utf8.encode(cid) },
    key,
    new Uint8Array(image),
  )
  const out = new Uint8Array(1 + nonceBytes + sealed.byteLength)
  out[0] = version
  out.set(iv, 1)
  out.set(new Uint8Array(sealed), 1 + nonceBytes)
  return out
}

/**
 * Decrypts a thumbnail.
 * @throws CairnError NOT_ENCRYPTED (another form), DECRYPTION_FAILED (another key or file, or changed data)
 */
export async function openThumbnail(sealed: Uint8Array, cid: string, masterKey: string): Promise<Uint8Array> {
  if (sealed[0] !== version || sealed.length < 1 + nonceBytes + tagBytes) throw new CairnError('NOT_ENCRYPTED')
  const bytes = new Uint8Array(sealed)
  const iv = bytes.subarray(1, 1 + nonceBytes)
  const key = await deriveKey(masterKey, 'decrypt')
  try {
    const algorithm = { name: 'AES-GCM', iv, additionalData: utf8.encode(cid) }
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, bytes.subarray(1 + nonceBytes)))
  } catch (cause) {
    throw new CairnError('DECRYPTION_FAILED', { cause })
  }
}

async function deriveKey(masterKey: string, use: KeyUse): Promise<CryptoKey> {
  const secret = await crypto.subtle.importKey('raw', passwordOf(masterKey, use), 'HKDF', false, ['deriveKey'])
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info: utf8.encode('cairn/thumbnail/1') }
  return crypto.subtle.deriveKey(derivation, secret, { name: 'AES-GCM', length: 256 }, false, [use])
}
