import { type ShardSet, shardSetSchema } from '@cairn/protocol'
import * as v from 'valibot'
import type { Context } from '../context.ts'
import { findOtherSets, findRecord } from './store.ts'

/** What a node states about a file to its peers. */
export const statementSchema = v.object({
  cid: v.string(),
  owner: v.string(),
  version: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  digest: v.string(),
  state: v.picklist(['provisional', 'held', 'retired']),
  setId: v.string(),
  shardSet: v.nullable(shardSetSchema),
  /** Sets that wait to come in force, the newest first. */
  pendingSetIds: v.pipe(v.array(v.string()), v.maxLength(16)),
  sharedTo: v.array(v.string()),
  conditions: v.nullable(v.string()),
  successor: v.nullable(v.string()),
})
export type Statement = v.InferOutput<typeof statementSchema>

/** This node's own statement, where it holds the file. */
export async function makeStatement({ db }: Context, cid: string): Promise<Statement | undefined> {
  const record = await findRecord(db.read, cid)
  if (record === undefined) return undefined
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

/** A set as it is kept. */
export function readShardSet(json: string | null): ShardSet | undefined {
  return json === null ? undefined : v.parse(shardSetSchema, JSON.parse(json))
}
