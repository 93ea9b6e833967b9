import { commitShards, generateKey, type KeySet, splitKey } from '@cairn/crypto'
import { createConditions, type KeyShard, maxSharedAddressesPerCall, type ShardSet, saveShard } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { callWithSession, sessionOf } from './call-with-session.ts'
import { type ChangeOptions, type ChangeResult, changeNodes, withOpenConditions } from './change-nodes.ts'
import { type ConditionsInput, checkConditions } from './check-conditions.ts'

export type SaveKeyOptions = ChangeOptions & {
  /** Addresses with read access from the start. */
  shareTo?: readonly string[] | undefined
  /** Conditions under which anyone may read. */
  conditions?: ConditionsInput | undefined
}

/** A key with the commitments of its shards. */
export type PreparedKey = KeySet & { set: ShardSet }

/** Creates a key for a file without any request. */
export function prepareKey(masterKey?: string): PreparedKey {
  const keys = masterKey === undefined ? generateKey() : { masterKey, keyShards: splitKey(masterKey) }
  return { ...keys, set: commitShards(keys.keyShards) }
}

/**
 * Saves the shards of a file key, one on each node. The first address to save owns the CID. Further calls share the
 * file with addresses beyond a hundred. If the file already has a key, new shards are pending until three nodes store
 * them; the function reads back that they are in force.
 * @throws CairnError ACCESS_DENIED (another address owns the CID), INVALID_CONDITION, CHANGE_INCOMPLETE, NO_SESSION
 */
export async function saveKey(
  client: Client,
  cid: string,
  key: PreparedKey,
  { shareTo = [], conditions, ...options }: SaveKeyOptions = {},
): Promise<ChangeResult> {
  const { address } = sessionOf(client)
  const set = conditions === undefined ? undefined : await checkConditions(conditions)
  const { spareOf } = await import('./deal-spare.ts')
  const spares = spareOf(key)
  const sharedTo = shareTo.slice(0, maxSharedAddressesPerCall)
  let isWaiting = false
  const reported: number[][] = []
  const changed = await changeNodes(
    client,
    async (node) => {
      const payload: KeyShard = key.keyShards[node - 1] ?? { key: '', index: '' }
      const params = { node: String(node) }
      const spare = spares[node - 1]
      const shared = sharedTo.length === 0 ? {} : { sharedTo }
      const body = { address, cid, payload, set: key.set, ...(spare === undefined ? {} : { spare }), ...shared }
      const { data } =
        set === undefined
          ? await callWithSession(client, saveShard, node, { params, body }, options)
          : await callWithSession(client, createConditions, node, { params, body: { ...body, ...set } }, options)
      isWaiting ||= data?.waits === true
      reported.push(data?.openConditions ?? [])
    },
    options,
  )
  // An owner who left a file to its conditions no longer sees its state.
  const isVisible = set?.decryptionType !== 'ACCESS_CONDITIONS'
  const inForce = isWaiting && isVisible ? await readBack(client, cid, key.set.id, changed, options) : changed
  const saved = withOpenConditions(inForce, reported)
  const rest = shareTo.slice(sharedTo.length)
  // A file left to its conditions cannot be shared.
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
