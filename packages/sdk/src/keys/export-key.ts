import { findKey, recoverKey } from '@cairn/crypto'
import {
  CairnError,
  cidSchema,
  type KeyShard,
  keyShardThreshold,
  retrieveShard,
  shardPayloadSchema,
} from '@cairn/protocol'
import * as v from 'valibot'
import type { Client } from '../client.ts'
import { nodeNumbers } from './call-node.ts'
import { callWithSession, sessionOf } from './call-with-session.ts'
import { getKey } from './get-key.ts'
import { prepareKey } from './save-key.ts'
import { settleNodes } from './settle-nodes.ts'

/**
 * The shards of a file key, for the owner to keep: anyone with this export can read the file without a key node. The
 * export is not encrypted.
 */
export type ExportedKey = {
  format: typeof format
  cid: string
  threshold: typeof keyShardThreshold
  exportedAt: string
  shards: { node: number; key: string; index: string }[]
}

const format = 'cairn-key-set/1'

const schema = v.object({
  format: v.literal(format),
  cid: cidSchema,
  threshold: v.literal(keyShardThreshold),
  exportedAt: v.string(),
  shards: v.pipe(
    v.array(v.object({ node: v.number(), ...shardPayloadSchema.entries })),
    v.minLength(3),
    v.maxLength(5),
  ),
})

/**
 * Fetches the shards of a file and keeps those that belong to its key.
 * @throws CairnError as getKey
 */
export async function exportKey(
  client: Client,
  cid: string,
  options: { signal?: AbortSignal } = {},
): Promise<ExportedKey> {
  const { masterKey, wrongNodes } = await getKey(client, cid, options)
  const { address } = sessionOf(client)
  const nodes = nodeNumbers.filter((node) => !wrongNodes.includes(node))
  const answers = await settleNodes(nodes, async (node) => {
    const input = { params: { node: String(node) }, body: { address, cid } }
    const { payload, set } = await callWithSession(client, retrieveShard, node, input, options)
    return { node, shard: payload, set }
  })
  if (options.signal?.aborted) throw new CairnError('ABORTED', { cause: options.signal.reason })
  // Three shards are enough, whatever the other nodes answered.
  const received = answers.flatMap((answer) => ('value' in answer ? [answer.value] : []))
  const [failed] = answers.flatMap((answer) => ('error' in answer ? [answer.error] : []))
  if (received.length < keyShardThreshold && failed !== undefined) throw failed
  // A node that was too late for `getKey` may have a shard of another set.
  const found = await findKey(received, { confirm: (key) => key === masterKey })
  const shards = received
    .filter(({ node }) => !found.wrongNodes.includes(node))
    .map(({ node, shard }) => ({ node, ...shard }))
  return describeSet(cid, shards)
}

/**
 * Splits a file key that is already known, such as that of an opened link, into a set as `exportKey` returns it. The shards are
 * new: those of the key nodes do not fit them.
 */
export function createKeySet(cid: string, masterKey: string): ExportedKey {
  return describeSet(
    cid,
    prepareKey(masterKey).keyShards.map((shard, i) => ({ node: i + 1, ...shard })),
  )
}

function describeSet(cid: string, shards: ExportedKey['shards']): ExportedKey {
  return { format, cid, threshold: keyShardThreshold, exportedAt: new Date().toISOString(), shards }
}

/**
 * Recovers the key of an exported set without any request.
 * @throws CairnError KEY_NOT_RECOVERED, INVALID_SHARD
 */
export function recoverExported(exported: unknown): { cid: string; masterKey: string } {
  const parsed = v.safeParse(schema, exported)
  if (!parsed.success) {
    throw new CairnError('INVALID_SHARD', {
      message: 'The file is not an exported key set',
      hint: 'Use the file that `cairn keys export` wrote.',
    })
  }
  const { cid, shards } = parsed.output
  return { cid, masterKey: recoverKey(shards.map(({ key, index }): KeyShard => ({ key, index }))) }
}
