import type { NameRecord } from '@cairn/names'
import { CairnError, maxForeignNames, maxNameHistory, maxNamesPerAccount } from '@cairn/protocol'
import { ConflictError, uuidv7 } from '@cairn/service'
import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { lockAccount } from '../ledger/ledger.ts'
import { toSequenceText } from './sequence.ts'

export type NameRow = Selectable<Schema['ipns_name']>
export type EntryRow = Selectable<Schema['name_entry']>
export type HistoryRow = Selectable<Schema['name_record']>

/** Returns the row of a name. */
export function findName(db: Kysely<Schema>, name: string): Promise<NameRow | undefined> {
  return db.selectFrom('ipns_name').selectAll().where('name', '=', name).executeTakeFirst()
}

/**
 * Returns the row of a name, locked for the unit of work: an update that changes nothing takes the lock on either
 * database.
 */
export function lockName(trx: Kysely<Schema>, name: string): Promise<NameRow | undefined> {
  return trx
    .updateTable('ipns_name')
    .set(({ ref }) => ({ updated_at: ref('updated_at') }))
    .where('name', '=', name)
    .returningAll()
    .executeTakeFirst()
}

/** Sets when the record of a name was last sent. The row must be locked. */
export async function touchName(trx: Kysely<Schema>, name: string, now: number): Promise<void> {
  await trx.updateTable('ipns_name').set({ updated_at: now }).where('name', '=', name).execute()
}

/** Inserts the row of a name, or finds an existing one. Locked either way. */
export async function ensureName(
  trx: Kysely<Schema>,
  name: string,
  { origin, now }: { origin: 'account' | 'foreign'; now: number },
): Promise<NameRow> {
  const found = await lockName(trx, name)
  if (found !== undefined) return found
  await trx
    .insertInto('ipns_name')
    .values({ name, origin, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const made = await lockName(trx, name)
  // Another unit created and removed it meanwhile.
  if (made === undefined) throw new ConflictError('The name was removed in the meantime')
  return made
}

/** Rejects another name without an account when the limit is reached. @throws CairnError STORAGE_FULL */
export async function requireCapacityForForeign(trx: Kysely<Schema>, maxNames = maxForeignNames): Promise<void> {
  const { count } = await trx
    .selectFrom('ipns_name')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('origin', '<>', 'account')
    .where('valid_until', 'is not', null)
    .executeTakeFirstOrThrow()
  if (Number(count) < maxNames) return
  throw new CairnError('STORAGE_FULL', {
    message: 'This service has reached its limit of records without an account',
    hint: 'Register the name with an account, or send the record to another service.',
  })
}

/**
 * Stores the newest record of a name, and adds it to its history when the name is on a list. The row must be locked.
 */
export async function writeRecord(
  trx: Kysely<Schema>,
  record: NameRecord,
  { now, isListed, renewal }: { now: number; isListed: boolean; renewal?: { lifetimeMs: number; at: number } },
): Promise<void> {
  const { name, value, bytes, validUntil } = record
  const sequence = toSequenceText(record.sequence)
  await trx
    .updateTable('ipns_name')
    .set({
      sequence,
      value,
      record: bytes,
      valid_until: validUntil,
      ttl_ms: record.ttlMs,
      lifetime_ms: renewal?.lifetimeMs ?? null,
      renew_at: renewal?.at ?? null,
      updated_at: now,
    })
    .where('name', '=', name)
    .execute()
  if (isListed)
    await writeHistory(trx, { name, sequence, value, record: bytes, valid_until: validUntil, published_at: now })
}

/** Adds to the history of a name; a renewal replaces the record that it renews. The oldest rows are deleted. */
export async function writeHistory(trx: Kysely<Schema>, row: HistoryRow): Promise<void> {
  const { name, published_at: _first, ...renewed } = row
  await trx
    .insertInto('name_record')
    .values(row)
    .onConflict((conflict) => conflict.columns(['name', 'sequence']).doUpdateSet(renewed))
    .execute()
  const surplus = await trx
    .selectFrom('name_record')
    .select('sequence')
    .where('name', '=', name)
    .orderBy('sequence', 'desc')
    .offset(maxNameHistory)
    .limit(1)
    .executeTakeFirst()
  if (surplus === undefined) return
  await trx.deleteFrom('name_record').where('name', '=', name).where('sequence', '<=', surplus.sequence).execute()
}

/** Returns a page of a name's history, newest first. */
export function findHistory(
  db: Kysely<Schema>,
  name: string,
  { before, limit }: { before: bigint | undefined; limit: number },
): Promise<HistoryRow[]> {
  let query = db.selectFrom('name_record').selectAll().where('name', '=', name)
  if (before !== undefined) query = query.where('sequence', '<', toSequenceText(before))
  return query.orderBy('sequence', 'desc').limit(limit).execute()
}

/** Adds a name to the list of an account. @throws CairnError NAME_LIMIT */
export async function insertEntry(
  trx: Kysely<Schema>,
  entry: { address: string; name: string; label: string | null; seal: Uint8Array | null; secretId: string | null },
  now: number,
): Promise<void> {
  await lockAccount(trx, entry.address)
  const { count } = await trx
    .selectFrom('name_entry')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('address', '=', entry.address)
    .executeTakeFirstOrThrow()
  if (Number(count) >= maxNamesPerAccount) {
    throw new CairnError('NAME_LIMIT', { details: { limit: maxNamesPerAccount } })
  }
  await trx
    .insertInto('name_entry')
    .values({
      id: uuidv7(now).replaceAll('-', ''),
      address: entry.address,
      name: entry.name,
      label: entry.label,
      seal: entry.seal,
      secret_id: entry.secretId,
      created_at: now,
      updated_at: now,
    })
    .execute()
}

/** Returns one name of an account, by the name or by its id. */
export function findEntry(
  db: Kysely<Schema>,
  address: string,
  key: { id: string } | { name: string },
): Promise<EntryRow | undefined> {
  const query = db.selectFrom('name_entry').selectAll().where('address', '=', address)
  return ('id' in key ? query.where('id', '=', key.id) : query.where('name', '=', key.name)).executeTakeFirst()
}

/** Returns a page of an account's names, newest first. */
export function findEntries(
  db: Kysely<Schema>,
  address: string,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<EntryRow[]> {
  let query = db.selectFrom('name_entry').selectAll().where('address', '=', address)
  if (after !== undefined) query = query.where('id', '<', after)
  return query.orderBy('id', 'desc').limit(limit).execute()
}

/** Returns the rows of several names. */
export async function findNames(db: Kysely<Schema>, names: readonly string[]): Promise<Map<string, NameRow>> {
  if (names.length === 0) return new Map()
  const rows = await db.selectFrom('ipns_name').selectAll().where('name', 'in', names).execute()
  return new Map(rows.map((row) => [row.name, row]))
}

/** Whether a name is on any list. */
export async function isListed(db: Kysely<Schema>, name: string): Promise<boolean> {
  const row = await db.selectFrom('name_entry').select('id').where('name', '=', name).limit(1).executeTakeFirst()
  return row !== undefined
}

/**
 * Removes a name from a list. With the last list entry its record is deleted, but its sequence is kept, so that an
 * older record cannot be restored.
 */
export async function deleteEntry(
  trx: Kysely<Schema>,
  entry: Pick<EntryRow, 'id' | 'name'>,
  now: number,
): Promise<boolean> {
  const row = await lockName(trx, entry.name)
  const gone = await trx.deleteFrom('name_entry').where('id', '=', entry.id).returning('seal').executeTakeFirst()
  if (gone === undefined) return false
  if (gone.seal !== null) {
    await trx
      .updateTable('ipns_name')
      .set({ lifetime_ms: null, renew_at: null })
      .where('name', '=', entry.name)
      .execute()
  }
  if (await isListed(trx, entry.name)) return true
  await trx.deleteFrom('name_record').where('name', '=', entry.name).execute()
  if (row?.sequence === null) {
    await trx.deleteFrom('ipns_name').where('name', '=', entry.name).execute()
    return true
  }
  await trx
    .updateTable('ipns_name')
    .set({
      origin: 'unlisted',
      value: null,
      record: null,
      valid_until: null,
      ttl_ms: null,
      lifetime_ms: null,
      renew_at: null,
      updated_at: now,
    })
    .where('name', '=', entry.name)
    .execute()
  return true
}
