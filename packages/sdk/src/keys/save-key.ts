import { commitShards, generateKey, type KeySet, splitKey } from '@cairn/crypto'
import { createConditions, type KeyShard, type ShardSet, saveShard } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { callWithSession, sessionOf } from './call-with-session.ts'
import { type ChangeOptions, type ChangeResult, changeNodes } from './change-nodes.ts'
import { type ConditionsInput, checkConditions } from './check-conditions.ts'

export type SaveKeyOptions = ChangeOptions & {
  /** Addresses that may read from the start. */
  shareTo?: readonly string[] | undefined
  /** Conditions under which anybody may read. */
  conditions?: ConditionsInput | undefined
}

/** A key with what its shards promise. */
export type PreparedKey = KeySet & { set: ShardSet }

/** Makes a key for a file; nothing is sent. */
export function prepareKey(masterKey?: string): PreparedKey {
  const keys = masterKey === undefined ? generateKey() : { masterKey, keyShards: splitKey(masterKey) }
  return { ...keys, set: commitShards(keys.keyShards) }
}

/**
 * Saves the shards of a file's key, one on each node. Whoever saves first owns the CID.
 * @throws CairnError ACCESS_DENIED (another owns the CID), INVALID_CONDITION, CHANGE_INCOMPLETE, NO_SESSION
 */
export async function saveKey(
  client: Client,
  cid: string,
  key: PreparedKey,
  { shareTo = [], conditions, ...options }: SaveKeyOptions = {},
): Promise<ChangeResult> {
  const { address } = sessionOf(client)
  const set = conditions === undefined ? undefined : await checkConditions(conditions)
  return changeNodes(
    client,
    (node) => {
      const payload: KeyShard = key.keyShards[node - 1] ?? { key: '', index: '' }
      const params = { node: String(node) }
      const body = { address, cid, payload, set: key.set, ...(shareTo.length === 0 ? {} : { sharedTo: [...shareTo] }) }
      if (set === undefined) return callWithSession(client, saveShard, node, { params, body }, options)
      return callWithSession(client, createConditions, node, { params, body: { ...body, ...set } }, options)
    },
    options,
  )
}
