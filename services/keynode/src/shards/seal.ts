import { CairnError, type KeyShard } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { openBytes, sealBytes } from '../seal-bytes.ts'

/** The owner of a sealed shard: moved to any other, it cannot be opened. */
export type SealSubject = {
  cid: string
  owner: string
  version: number
}

/** The parts of a node that a seal needs. */
type Sealing = Pick<Context, 'config' | 'keys'>

function bound({ config }: Sealing, { cid, owner, version }: SealSubject): Buffer {
  return Buffer.from(['cairn/seal/1', config.networkName, config.node, cid, owner, version].join('|'))
}

/** Seals a shard for this node's disk. */
export function sealShard(context: Sealing, subject: SealSubject, { key, index }: KeyShard): Uint8Array {
  return sealBytes(context.keys, bound(context, subject), Buffer.from(JSON.stringify({ key, index })))
}

/** Opens a seal. @throws CairnError DATA_DAMAGED when it was changed, moved, or made with another secret */
export function openShard(context: Sealing, subject: SealSubject, sealed: Uint8Array): KeyShard {
  try {
    const shard: KeyShard = JSON.parse(openBytes(context.keys, bound(context, subject), sealed).toString('utf8'))
    return { key: shard.key, index: shard.index }
  } catch (cause) {
    throw new CairnError('DATA_DAMAGED', {
      message: 'The shard on this node is damaged',
      hint: 'Three other nodes are enough to recover the key. The owner can save it again.',
      cause,
    })
  }
}
