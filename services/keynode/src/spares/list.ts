import type { Selectable } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { isOfOwner, type Trx } from '../shards/shards.ts'

/** A spare set of a file with a record, and the set in force there. */
export type OwnSpare = Selectable<Schema['spare']> & { inForce: string }

/**
 * Lists the spare sets that take part in a replacement, by CID: of confirmed keys that are not retired, where the set
 * in force is the one to replace or already the spare set. A key may have two, of which both are returned.
 * @param limit maximum number of sets, without the second one of the last CID; not for explicit CIDs
 */
export async function listSpares(
  db: Trx,
  { until, after, ...which }: { until: number; after?: string } & ({ limit: number } | { cids: readonly string[] }),
): Promise<OwnSpare[]> {
  const listed = db
    .selectFrom('spare')
    .innerJoin('key', 'key.cid', 'spare.cid')
    .selectAll('spare')
    .select('key.set_id as inForce')
    .where('spare.cid', '>', after ?? '')
    .where(({ eb, or }) => or([eb('spare.saved_at', '<', until), eb('spare.parts', 'is', null)]))
    .where('key.state', '=', 'held')
    .where('key.restored_at', 'is', null)
    .where(isOfOwner)
    .where(({ eb, or, ref }) =>
      or([eb('key.set_id', '=', ref('spare.set_id')), eb('key.set_id', '=', ref('spare.spare_id'))]),
    )
    .orderBy('spare.cid')
  if ('cids' in which) return listed.where('spare.cid', 'in', [...which.cids]).execute()
  const rows = await listed.limit(which.limit).execute()
  const last = rows.at(-1)
  if (last === undefined || rows.length < which.limit) return rows
  // The next page begins after this CID.
  const ofLast = await listed.where('spare.cid', '=', last.cid).execute()
  return [...rows.filter(({ cid }) => cid !== last.cid), ...ofLast]
}

/** How far a replacement is on this node, in keys. */
export type SpareCounts = {
  /** Waiting for parts of other nodes. */
  waiting: number
  /** With a new shard that is not in force. */
  received: number
  /** With a new shard in force; the old one is not destroyed yet. */
  inForce: number
  /** Without a spare set. */
  without: number
}

/** Counts the keys that take part in a replacement, and those that cannot. */
export async function countSpares(db: Trx, until: number): Promise<SpareCounts> {
  const rows = await db
    .selectFrom('key')
    .leftJoin('spare', (join) =>
      join
        .onRef('spare.cid', '=', 'key.cid')
        .on(isOfOwner)
        .on(({ eb, or, ref }) =>
          or([eb('key.set_id', '=', ref('spare.set_id')), eb('key.set_id', '=', ref('spare.spare_id'))]),
        ),
    )
    .select(({ fn, eb, case: when, ref }) => [
      fn.countAll<number>().as('count'),
      when()
        .when('spare.cid', 'is', null)
        .then('without')
        .when('key.set_id', '=', ref('spare.spare_id'))
        .then('inForce')
        .when(eb('spare.shard', 'is not', null))
        .then('received')
        .else('waiting')
        .end()
        .as('stage'),
    ])
    .where('key.state', '=', 'held')
    .where(({ eb, or }) => or([eb('spare.cid', 'is', null), eb('spare.saved_at', '<', until)]))
    .groupBy('stage')
    .execute()
  const countOf = (stage: keyof SpareCounts) => Number(rows.find((row) => row.stage === stage)?.count ?? 0)
  return {
    waiting: countOf('waiting'),
    received: countOf('received'),
    inForce: countOf('inForce'),
    without: countOf('without'),
  }
}
