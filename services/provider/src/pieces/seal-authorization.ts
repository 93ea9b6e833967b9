import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { CairnError } from '@cairn/protocol'

const ivBytes = 12
const tagBytes = 16

/**
 * Seals the credentials for a source, because the database stores them until the piece is kept. They can be opened
 * for that piece only.
 */
export function sealAuthorization(key: Uint8Array, cid: string, text: string): Uint8Array {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(cid))
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

/**
 * Opens sealed credentials. @throws CairnError STORAGE_FAILED when they were changed, or sealed with another secret
 */
export function openAuthorization(key: Uint8Array, cid: string, sealed: Uint8Array): string {
  try {
    const end = sealed.length - tagBytes
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivBytes))
    decipher.setAAD(Buffer.from(cid)).setAuthTag(sealed.subarray(end))
    return Buffer.concat([decipher.update(sealed.subarray(ivBytes, end)), decipher.final()]).toString('utf8')
  } catch (cause) {
    throw new CairnError('STORAGE_FAILED', { message: 'The credentials of the source cannot be read', cause })
  }
}
