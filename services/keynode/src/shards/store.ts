import { createHash } from 'node:crypto'
import type { Kysely, Selectable } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'

export type KeyRow = Selectable<Schema['key']>
export type Trx = Kysely<Schema>

/** A record and whom it is shared with, sorted. */
export type KeyRecord = { row: KeyRow; sharedTo: string[] }

/** The record of a canonical CID, as it is now. */
export async function findRecord(db: Trx, cid: string): Promise<KeyRecord | undefined> {
  return readRecord(db, await db.selectFrom('key').selectAll().where('cid', '=', cid).executeTakeFirst())
}

/**
 * The record of a canonical CID for who is about to change it: on PostgreSQL others wait for the end of this transaction, on
 * SQLite they do so anyway.
 */
export async function findRecordToChange(
  { db }: Pick<Context, 'db'>,
  trx: Trx,
  cid: string,
): Promise<KeyRecord | undefined> {
  const found = trx
    .selectFrom('key')
    .selectAll()
    .where('cid', '=', cid)
    .$if(db.kind === 'postgres', (query) => query.forUpdate())
  return readRecord(trx, await found.executeTakeFirst())
}

async function readRecord(db: Trx, row: KeyRow | undefined): Promise<KeyRecord | undefined> {
  if (row === undefined) return undefined
  const shared = await db.selectFrom('shared').select('address').where('cid', '=', row.cid).orderBy('address').execute()
  return { row, sharedTo: shared.map(({ address }) => address) }
}

/** What two nodes that agree have alike. */
export type Rights = Pick<KeyRow, 'owner' | 'conditions' | 'set_id' | 'successor'> & {
  isRetired: boolean
  sharedTo: readonly string[]
}

/** Hash over the rights of a record. */
export function digestOf({ owner, conditions, set_id, successor, isRetired, sharedTo }: Rights): string {
  const text = JSON.stringify([owner, conditions, set_id, successor, isRetired, [...sharedTo].sort()])
  return createHash('sha256').update('cairn/rights/1\n').update(text).digest('hex')
}

/** Replaces whom a record is shared with by what is wanted. */
export async function writeShared(
  trx: Trx,
  cid: string,
  before: readonly string[],
  after: readonly string[],
  at: number,
) {
  const gone = before.filter((address) => !after.includes(address))
  const added = after.filter((address) => !before.includes(address))
  if (gone.length > 0) await trx.deleteFrom('shared').where('cid', '=', cid).where('address', 'in', gone).execute()
  if (added.length > 0) {
    const rows = added.map((address) => ({ cid, address, created_at: at }))
    await trx
      .insertInto('shared')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

/** The set under a CID that is not the one in force. */
export async function findOtherSets(db: Trx, cid: string) {
  return db.selectFrom('other_set').selectAll().where('cid', '=', cid).orderBy('saved_at', 'desc').execute()
}

type Change = Selectable<Schema['change']>

/** Changes kept of one file: far more than anybody goes back to, and no way to fill a disk. */
export const maxChanges = 1_000

/** Writes down a change, after those that are there; the oldest goes. The record must be locked, or new. */
export async function writeChange(trx: Trx, change: Omit<Change, 'seq'>): Promise<void> {
  const last = await trx
    .selectFrom('change')
    .select(({ fn }) => fn.max('seq').as('seq'))
    .where('cid', '=', change.cid)
    .executeTakeFirst()
  const seq = (last?.seq ?? 0) + 1
  await trx
    .insertInto('change')
    .values({ ...change, seq })
    .execute()
  if (seq <= maxChanges) return
  await trx
    .deleteFrom('change')
    .where('cid', '=', change.cid)
    .where('seq', '<=', seq - maxChanges)
    .execute()
}

/** Whether an address has made as many keys here as it may; those that others gave it do not count. */
export async function isCreatorFull(trx: Trx, creator: string, most: number): Promise<boolean> {
  const beyond = await trx
    .selectFrom('key')
    .select('cid')
    .where('creator', '=', creator)
    .orderBy('cid')
    .offset(most - 1)
    .limit(1)
    .executeTakeFirst()
  return beyond !== undefined
}
