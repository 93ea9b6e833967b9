import { createHash } from 'node:crypto'
import type { Kysely, Selectable } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'

export type KeyRow = Selectable<Schema['key']>
export type Trx = Kysely<Schema>

/** A record and its shares, sorted. */
export type KeyRecord = { row: KeyRow; sharedTo: string[] }

/** Returns the record of a canonical CID. */
export async function findRecord(db: Trx, cid: string): Promise<KeyRecord | undefined> {
  return readRecord(db, await db.selectFrom('key').selectAll().where('cid', '=', cid).executeTakeFirst())
}

/**
 * Returns the record of a canonical CID for update: on PostgreSQL others wait for the end of this transaction, on
 * SQLite they always do.
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

/** The fields in which agreeing nodes are equal. */
export type Rights = Pick<KeyRow, 'owner' | 'conditions' | 'set_id' | 'successor'> & {
  isRetired: boolean
  sharedTo: readonly string[]
}

/** Hashes the rights of a record. */
export function digestOf({ owner, conditions, set_id, successor, isRetired, sharedTo }: Rights): string {
  const text = JSON.stringify([owner, conditions, set_id, successor, isRetired, [...sharedTo].sort()])
  return createHash('sha256').update('cairn/rights/1\n').update(text).digest('hex')
}

/** Replaces the shares of a record. */
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

/** Returns the sets of a CID that are not in force. */
export async function findOtherSets(db: Trx, cid: string) {
  return db.selectFrom('other_set').selectAll().where('cid', '=', cid).orderBy('saved_at', 'desc').execute()
}

/**
 * Returns the sets that wait to come into force, newest first. One that an earlier owner saved never does: it could be of another
 * key, and reach its third node only after the next owner has opened the file.
 */
export async function findWaitingSets(db: Trx, { cid, owner }: Pick<KeyRow, 'cid' | 'owner'>) {
  const others = await findOtherSets(db, cid)
  return others.filter((other) => other.kind === 'pending' && other.owner === owner)
}

type Change = Selectable<Schema['change']>

/** Maximum number of stored changes per file: far more than any retry needs, and a bound on disk use. */
export const maxChanges = 1_000

/** Stores a change after the existing ones; the oldest is deleted. The record must be locked, or new. */
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

/** Whether an address has reached its limit of created keys here; keys received from others do not count. */
export async function isCreatorFull(trx: Trx, creator: string, maxKeys: number): Promise<boolean> {
  const beyond = await trx
    .selectFrom('key')
    .select('cid')
    .where('creator', '=', creator)
    .orderBy('cid')
    .offset(maxKeys - 1)
    .limit(1)
    .executeTakeFirst()
  return beyond !== undefined
}

/** Removes a set that waits or was replaced. */
export async function removeOtherSet(trx: Trx, cid: string, setId: string): Promise<void> {
  await trx.deleteFrom('other_set').where('cid', '=', cid).where('set_id', '=', setId).execute()
}
