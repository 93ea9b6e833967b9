import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { type NodeKeys, type SealingKey, sealingIdBytes } from './identity.ts'

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16
/** First byte of a seal: the first form names no key, the second is followed by the id of its key. */
const unnamed = 1
const named = 2

/** Keys that open seals; the first one also makes them. */
type SealingKeys = Pick<NodeKeys, 'sealing' | 'secondarySealing'>

/** Seals bytes for this node's disk. @see https://csrc.nist.gov/pubs/sp/800/38/d/final */
export function sealBytes({ sealing }: SealingKeys, subject: Uint8Array, bytes: Uint8Array): Uint8Array {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, sealing.key, iv, { authTagLength: tagBytes })
  cipher.setAAD(subject)
  return Buffer.concat([Buffer.of(named), sealing.id, iv, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
}

/** Opens a seal. @throws Error when it was changed, moved, or made with another secret */
export function openBytes(keys: SealingKeys, subject: Uint8Array, sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed)
  const known = keysOf(keys)
  const id = idOf(bytes)
  if (id !== undefined) {
    const found = known.find((key) => id.equals(key.id))
    if (found === undefined) throw new Error('sealed with an unknown secret')
    return open(found, subject, bytes.subarray(1 + sealingIdBytes))
  }
  if (bytes[0] !== unnamed) throw new Error('unknown seal format')
  let failure: unknown
  for (const key of known) {
    try {
      return open(key, subject, bytes.subarray(1))
    } catch (error) {
      failure ??= error
    }
  }
  throw failure
}

/** Tells which secret a seal was made with, as far as it names one. */
export function findSealKey(keys: SealingKeys, sealed: Uint8Array): 'primary' | 'secondary' | 'other' | 'unnamed' {
  const id = idOf(Buffer.from(sealed))
  if (id === undefined) return 'unnamed'
  if (id.equals(keys.sealing.id)) return 'primary'
  return keys.secondarySealing !== undefined && id.equals(keys.secondarySealing.id) ? 'secondary' : 'other'
}

function idOf(bytes: Buffer): Buffer | undefined {
  return bytes[0] === named ? bytes.subarray(1, 1 + sealingIdBytes) : undefined
}

function keysOf({ sealing, secondarySealing }: SealingKeys): SealingKey[] {
  return secondarySealing === undefined ? [sealing] : [sealing, secondarySealing]
}

function open({ key }: SealingKey, subject: Uint8Array, bytes: Buffer): Buffer {
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
  decipher.setAAD(subject)
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  return Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()])
}
