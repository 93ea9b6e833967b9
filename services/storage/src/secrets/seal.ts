import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { deriveKey } from './derive-key.ts'

/**
 * Purpose and subject of a sealed value: moved to another purpose or subject, it cannot be opened. Neither ever changes, because
 * stored seals depend on them.
 */
export type SealUse = { purpose: 'name-key' | 'webhook-secret'; subject: readonly string[] }

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16
/** First byte of every seal: its format. */
const form = 1

/** Identifies a secret of the service without revealing it. */
export function secretIdOf(secret: Uint8Array): string {
  return Buffer.from(deriveKey(secret, 'name-key-id', 8)).toString('hex')
}

function bound({ purpose, subject }: SealUse): Buffer {
  return Buffer.from([`cairn/${purpose}/1`, ...subject].join('|'))
}

/** Seals bytes for the database. @see https://csrc.nist.gov/pubs/sp/800/38/d/final */
export function sealBytes(secret: Uint8Array, use: SealUse, bytes: Uint8Array): Uint8Array {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, deriveKey(secret, use.purpose), iv, { authTagLength: tagBytes })
  cipher.setAAD(bound(use))
  return Buffer.concat([Buffer.of(form), iv, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
}

/** Opens a seal. @throws Error when it was changed or moved */
export function openSealed(secret: Uint8Array, use: SealUse, sealed: Uint8Array): Uint8Array {
  const bytes = Buffer.from(sealed)
  if (bytes[0] !== form) throw new Error('unknown seal format')
  const iv = bytes.subarray(1, 1 + ivBytes)
  const decipher = createDecipheriv(algorithm, deriveKey(secret, use.purpose), iv, { authTagLength: tagBytes })
  decipher.setAAD(bound(use))
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  return new Uint8Array(Buffer.concat([decipher.update(bytes.subarray(1 + ivBytes, -tagBytes)), decipher.final()]))
}
