import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { CairnError } from '@cairn/protocol'
import { deriveKey } from '../derive-key.ts'

/** What a sealed key belongs to: moved to any other, it cannot be opened. */
export type SealSubject = { address: string; name: string }

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16
/** First byte of every seal: which form it has. */
const form = 1

/** Tells secrets apart without telling anything of them. */
export function secretIdOf(secret: Uint8Array): string {
  return Buffer.from(deriveKey(secret, 'name-key-id', 8)).toString('hex')
}

function bound({ address, name }: SealSubject): Buffer {
  return Buffer.from(['cairn/name-key/1', address, name].join('|'))
}

/** Seals the seed of a name's key for the database. @see https://csrc.nist.gov/pubs/sp/800/38/d/final */
export function sealSeed(secret: Uint8Array, subject: SealSubject, seed: Uint8Array): Uint8Array {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, deriveKey(secret, 'name-key'), iv, { authTagLength: tagBytes })
  cipher.setAAD(bound(subject))
  return Buffer.concat([Buffer.of(form), iv, cipher.update(seed), cipher.final(), cipher.getAuthTag()])
}

/** Opens a seal. @throws CairnError DATA_DAMAGED when it was changed or moved */
export function openSeed(secret: Uint8Array, subject: SealSubject, sealed: Uint8Array): Uint8Array {
  const bytes = Buffer.from(sealed)
  try {
    if (bytes[0] !== form) throw new Error('an unknown form of seal')
    const iv = bytes.subarray(1, 1 + ivBytes)
    const decipher = createDecipheriv(algorithm, deriveKey(secret, 'name-key'), iv, { authTagLength: tagBytes })
    decipher.setAAD(bound(subject))
    decipher.setAuthTag(bytes.subarray(-tagBytes))
    const seed = Buffer.concat([decipher.update(bytes.subarray(1 + ivBytes, -tagBytes)), decipher.final()])
    return new Uint8Array(seed)
  } catch (cause) {
    throw new CairnError('DATA_DAMAGED', {
      message: 'The key of this name is damaged',
      hint: 'The operator can restore it from a backup; records that are out stay valid until they end.',
      cause,
    })
  }
}
