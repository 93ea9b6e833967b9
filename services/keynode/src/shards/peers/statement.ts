import { type ShardSet, shardSetSchema } from '@cairn/protocol'
import * as v from 'valibot'
import type { Context } from '../../context.ts'
import { findRecord, findWaitingSets } from '../store.ts'
import type { Statement } from './peer-statement.ts'
import { requireConfirmed } from './restored.ts'

/** Creates this node's own statement, if it holds the file. @throws CairnError KEY_UNCONFIRMED */
export async function makeStatement({ db }: Context, cid: string): Promise<Statement | undefined> {
  const record = await findRecord(db.read, cid)
  if (record === undefined) return undefined
  requireConfirmed(record)
  const { row, sharedTo } = record
  const pending = await findWaitingSets(db.read, row)
  return {
    cid,
    owner: row.owner,
    version: row.version,
    digest: row.digest,
    state: row.state,
    setId: row.set_id,
    shardSet: readShardSet(row.shard_set) ?? null,
    pendingSetIds: pending.map(({ set_id }) => set_id),
    sharedTo,
    conditions: row.conditions,
    successor: row.successor,
  }
}

/** Parses a stored set. */
export function readShardSet(json: string | null): ShardSet | undefined {
  return json === null ? undefined : v.parse(shardSetSchema, JSON.parse(json))
}
