import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { CairnError, type KeyShard } from '@cairn/protocol'
import type { Context } from '../context.ts'

/** The owner of a sealed shard: moved to any other, it cannot be opened. */
export type SealSubject = {
  cid: string
  owner: string
  version: number
}

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16
/** First byte of every seal: its format and key. */
const form = 1

function bound({ config }: Context, { cid, owner, version }: SealSubject): Buffer {
  return Buffer.from(['cairn/seal/1', config.networkName, config.node, cid, owner, version].join('|'))
}

/** Seals a shard for this node's disk. @see https://csrc.nist.gov/pubs/sp/800/38/d/final */
export function sealShard(context: Context, subject: SealSubject, { key, index }: KeyShard): Uint8Array {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, context.keys.sealing, iv, { authTagLength: tagBytes })
  cipher.setAAD(bound(context, subject))
  const sealed = [cipher.update(JSON.stringify({ key, index }), 'utf8'), cipher.final()]
  return Buffer.concat([Buffer.of(form), iv, ...sealed, cipher.getAuthTag()])
}

/** Opens a seal. @throws CairnError DATA_DAMAGED when it was changed, moved, or made with another secret */
export function openShard(context: Context, subject: SealSubject, sealed: Uint8Array): KeyShard {
  const bytes = Buffer.from(sealed)
  try {
    if (bytes[0] !== form) throw new Error('unknown seal format')
    const iv = bytes.subarray(1, 1 + ivBytes)
    const decipher = createDecipheriv(algorithm, context.keys.sealing, iv, { authTagLength: tagBytes })
    decipher.setAAD(bound(context, subject))
    decipher.setAuthTag(bytes.subarray(-tagBytes))
    const text = decipher.update(bytes.subarray(1 + ivBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
    const shard: KeyShard = JSON.parse(text)
    return { key: shard.key, index: shard.index }
  } catch (cause) {
    throw new CairnError('DATA_DAMAGED', {
      message: 'The shard on this node is damaged',
      hint: 'Three other nodes are enough to recover the key. The owner can save it again.',
      cause,
    })
  }
}
