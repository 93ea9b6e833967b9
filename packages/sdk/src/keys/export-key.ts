import { recoverKey } from '@cairn/crypto'
import { CairnError, cidSchema, type KeyShard, retrieveShard, shardPayloadSchema } from '@cairn/protocol'
import * as v from 'valibot'
import type { Client } from '../client.ts'
import { nodeNumbers } from './call-node.ts'
import { callWithSession, sessionOf } from './call-with-session.ts'
import { getKey } from './get-key.ts'

/**
 * The shards of a file's key, for the owner to keep: whoever has this file can read the other one, without any key node. It
 * is not encrypted.
 */
export type ExportedKey = {
  format: 'cairn-key-set/1'
  cid: string
  threshold: 3
  exportedAt: string
  shards: { node: number; key: string; index: string }[]
}

const schema = v.object({
  format: v.literal('cairn-key-set/1'),
  cid: cidSchema,
  threshold: v.literal(3),
  exportedAt: v.string(),
  shards: v.pipe(
    v.array(v.object({ node: v.number(), ...shardPayloadSchema.entries })),
    v.minLength(3),
    v.maxLength(5),
  ),
})

/**
 * Fetches the shards that nodes give for a file, and checks that they are of one key.
 * @throws CairnError as getKey
 */
export async function exportKey(
  client: Client,
  cid: string,
  options: { signal?: AbortSignal } = {},
): Promise<ExportedKey> {
  const { wrongNodes } = await getKey(client, cid, options)
  const { address } = sessionOf(client)
  const answers = await Promise.all(
    nodeNumbers
      .filter((node) => !wrongNodes.includes(node))
      .map(async (node) => {
        try {
          const input = { params: { node: String(node) }, body: { address, cid } }
          const { payload } = await callWithSession(client, retrieveShard, node, input, options)
          return [{ node, ...payload }]
        } catch (error) {
          // Three suffice: a node that is away now is left out, and the set tells which are in it.
          if (CairnError.is(error) && error.retry) return []
          throw error
        }
      }),
  )
  const shards = answers.flat()
  recoverKey(shards)
  return { format: 'cairn-key-set/1', cid, threshold: 3, exportedAt: new Date().toISOString(), shards }
}

/** The key of an exported set; nothing is sent anywhere. @throws CairnError KEY_NOT_RECOVERED, INVALID_SHARD */
export function recoverExported(exported: unknown): { cid: string; masterKey: string } {
  const parsed = v.safeParse(schema, exported)
  if (!parsed.success) {
    throw new CairnError('INVALID_SHARD', {
      message: 'This is not an exported key set',
      hint: 'Give the file that `cairn keys export` wrote.',
    })
  }
  const { cid, shards } = parsed.output
  return { cid, masterKey: recoverKey(shards.map(({ key, index }): KeyShard => ({ key, index }))) }
}
