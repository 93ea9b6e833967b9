import { commitShards, generateKey, type KeySet, splitKey } from '@cairn/crypto'
import {
  createConditions,
  type KeyShard,
  keyShardThreshold,
  type ShardSet,
  saveShard,
  sharedAddressesPerCallMost,
  shareKey,
} from '@cairn/protocol'
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
 * Saves the shards of a file's key, one on each node. Whoever saves first owns the CID. Addresses beyond a hundred are shared
 * with by further calls.
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
  const sharedTo = shareTo.slice(0, sharedAddressesPerCallMost)
  const at = (node: number) => ({ node: String(node) })
  const saved = await changeNodes(
    client,
    (node) => {
      const payload: KeyShard = key.keyShards[node - 1] ?? { key: '', index: '' }
      const params = at(node)
      const body = { address, cid, payload, set: key.set, ...(sharedTo.length === 0 ? {} : { sharedTo }) }
      if (set === undefined) return callWithSession(client, saveShard, node, { params, body }, options)
      return callWithSession(client, createConditions, node, { params, body: { ...body, ...set } }, options)
    },
    options,
  )
  // Nobody is left to share a file that belongs to its conditions alone, and there is nobody to share it with.
  if (set?.decryptionType === 'ACCESS_CONDITIONS') return saved
  for (let start = sharedTo.length; start < shareTo.length; start += sharedAddressesPerCallMost) {
    const body = { address, cid, shareTo: shareTo.slice(start, start + sharedAddressesPerCallMost) }
    const shared = await changeNodes(
      client,
      (node) => callWithSession(client, shareKey, node, { params: at(node), body }, options),
      options,
    )
    saved.done = saved.done.filter((node) => shared.done.includes(node))
    saved.pending = [
      ...saved.pending,
      ...shared.pending.filter(({ node }) => !saved.pending.some((one) => one.node === node)),
    ]
    saved.isEffective = saved.done.length >= keyShardThreshold
  }
  return saved
}
