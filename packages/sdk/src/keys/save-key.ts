import { commitShards, generateKey, type KeySet, splitKey } from '@cairn/crypto'
import { createConditions, type KeyShard, type ShardSet, saveShard, sharedAddressesPerCallMost } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { callWithSession, sessionOf } from './call-with-session.ts'
import { type ChangeOptions, type ChangeResult, changeNodes, withOpenConditions } from './change-nodes.ts'
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
 * with by further calls. Shards of a file that has a key already wait until three nodes have them: that they are in force is
 * read back.
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
  let isWaiting = false
  const told: number[][] = []
  const changed = await changeNodes(
    client,
    async (node) => {
      const payload: KeyShard = key.keyShards[node - 1] ?? { key: '', index: '' }
      const params = { node: String(node) }
      const body = { address, cid, payload, set: key.set, ...(sharedTo.length === 0 ? {} : { sharedTo }) }
      const { data } =
        set === undefined
          ? await callWithSession(client, saveShard, node, { params, body }, options)
          : await callWithSession(client, createConditions, node, { params, body: { ...body, ...set } }, options)
      isWaiting ||= data?.waits === true
      told.push(data?.openConditions ?? [])
    },
    options,
  )
  // Who has left a file to its conditions is told nothing more of it.
  const isVisible = set?.decryptionType !== 'ACCESS_CONDITIONS'
  const inForce = isWaiting && isVisible ? await readBack(client, cid, key.set.id, changed, options) : changed
  const saved = withOpenConditions(inForce, told)
  const rest = shareTo.slice(sharedTo.length)
  // A file that is left to its conditions is shared with nobody.
  if (rest.length === 0 || set?.decryptionType === 'ACCESS_CONDITIONS') return saved
  const { shareRest } = await import('./share-rest.ts')
  return { ...saved, ...(await shareRest(client, cid, saved, rest, options)) }
}

async function readBack(
  client: Client,
  cid: string,
  setId: string,
  changed: ChangeResult,
  options: ChangeOptions,
): Promise<ChangeResult> {
  const { confirmSet } = await import('./confirm-set.ts')
  return confirmSet(client, cid, setId, changed, options)
}
