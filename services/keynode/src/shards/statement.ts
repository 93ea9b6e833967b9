import { type ShardSet, shardSetSchema } from '@cairn/protocol'
import * as v from 'valibot'
import type { Context } from '../context.ts'
import { requireConfirmed } from './restored.ts'
import { findOtherSets, findRecord } from './store.ts'

/** A node's statement about a file for its peers. */
export const statementSchema = v.object({
  cid: v.string(),
  owner: v.string(),
  version: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  digest: v.string(),
  state: v.picklist(['provisional', 'held', 'retired']),
  setId: v.string(),
  shardSet: v.nullable(shardSetSchema),
  /** Sets that wait to come into force, newest first. */
  pendingSetIds: v.pipe(v.array(v.string()), v.maxLength(16)),
  sharedTo: v.array(v.string()),
  conditions: v.nullable(v.string()),
  successor: v.nullable(v.string()),
})
export type Statement = v.InferOutput<typeof statementSchema>

/** Creates this node's own statement, if it holds the file. @throws CairnError KEY_UNCONFIRMED */
export async function makeStatement({ db }: Context, cid: string): Promise<Statement | undefined> {
  const record = await findRecord(db.read, cid)
  if (record === undefined) return undefined
  requireConfirmed(record)
  const { row, sharedTo } = record
  const pending = (await findOtherSets(db.read, cid)).filter(({ kind }) => kind === 'pending')
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
