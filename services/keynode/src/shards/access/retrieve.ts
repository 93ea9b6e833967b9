import { CairnError, type CallResult, type KeyShard, type retrieveShard } from '@cairn/protocol'
import type { Context } from '../../context.ts'
import { requireConfirmed } from '../peers/restored.ts'
import { readShardSet } from '../peers/statement.ts'
import { openShard, type SealSubject } from '../seal.ts'
import { findOtherSets, type KeyRecord } from '../store.ts'

/**
 * Returns this node's shard of the set in force, and of the other sets of the CID on request: a client that finds two
 * half-saved sets can use whichever three nodes have.
 * @throws CairnError KEY_NOT_FOUND for a retired key that was destroyed, KEY_UNCONFIRMED, DATA_DAMAGED
 */
export async function retrieveRecord(
  context: Context,
  record: KeyRecord,
  withAlternatives: boolean,
): Promise<CallResult<typeof retrieveShard>> {
  requireConfirmed(record)
  const { row } = record
  if (row.sealed === null) throw new CairnError('KEY_NOT_FOUND')
  const set = readShardSet(row.shard_set)
  const answer = {
    payload: openShard(context, { cid: row.cid, owner: row.owner, version: row.sealed_version }, row.sealed),
    ...(set === undefined ? {} : { set }),
    version: row.version,
  }
  if (!withAlternatives) return answer
  const others = await findOtherSets(context.db.read, row.cid)
  return {
    ...answer,
    alternatives: others.flatMap((other) => {
      const otherSet = readShardSet(other.shard_set)
      const payload = openIfWhole(context, { cid: row.cid, owner: other.owner, version: other.version }, other.sealed)
      if (payload === undefined) return []
      return { payload, ...(otherSet === undefined ? {} : { set: otherSet }), savedAt: other.saved_at }
    }),
  }
}

/** Another set that cannot be opened must not block the one in force. */
function openIfWhole(context: Context, subject: SealSubject, sealed: Uint8Array): KeyShard | undefined {
  try {
    return openShard(context, subject, sealed)
  } catch (error) {
    context.log.error({ err: error }, 'inactive shard is damaged')
    return undefined
  }
}
