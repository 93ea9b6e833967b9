import type { NameRecord } from '@cairn/names'
import { CairnError, foreignNamesMost, nameHistoryMost, namesPerAccountMost } from '@cairn/protocol'
import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { createUploadId } from '../uploads/upload-id.ts'
import { toSequenceText } from './sequence.ts'

export type NameRow = Selectable<Schema['ipns_name']>
export type EntryRow = Selectable<Schema['name_entry']>
export type HistoryRow = Selectable<Schema['name_record']>

/** The row of a name. */
export function findName(db: Kysely<Schema>, name: string): Promise<NameRow | undefined> {
  return db.selectFrom('ipns_name').selectAll().where('name', '=', name).executeTakeFirst()
}

/**
 * The row of a name, as nobody else can change it before the unit of work ends: an update that changes nothing takes its
 * lock on either database.
 */
export function lockName(trx: Kysely<Schema>, name: string): Promise<NameRow | undefined> {
  return trx
    .updateTable('ipns_name')
    .set(({ ref }) => ({ updated_at: ref('updated_at') }))
    .where('name', '=', name)
    .returningAll()
    .executeTakeFirst()
}

/** Makes the row of a name, or finds that another has made it. Locked either way. */
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
  // Whoever was first has taken it away again: the whole unit is tried anew by the caller.
  if (made === undefined) throw new CairnError('CONFLICT')
  return made
}

/** Refuses one more name that no account has when there are as many as may be. @throws CairnError STORAGE_FULL */
export async function requireRoomForForeign(trx: Kysely<Schema>, most = foreignNamesMost): Promise<void> {
  const { count } = await trx
    .selectFrom('ipns_name')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('origin', '<>', 'account')
    .where('valid_until', 'is not', null)
    .executeTakeFirstOrThrow()
  if (Number(count) < most) return
  throw new CairnError('STORAGE_FULL', {
    message: 'This service keeps no more records of names that no account has',
    hint: 'Register the name with an account, or offer the record to another service.',
  })
}

/** Writes the newest record of a name down, and into the name's history where it is on a list. The row must be locked. */
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

/** Adds to the history of a name; a renewal replaces the record that it renews. The oldest rows go. */
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
    .offset(nameHistoryMost)
    .limit(1)
    .executeTakeFirst()
  if (surplus === undefined) return
  await trx.deleteFrom('name_record').where('name', '=', name).where('sequence', '<=', surplus.sequence).execute()
}

/** A page of a name's history, newest first. */
export function findHistory(
  db: Kysely<Schema>,
  name: string,
  { before, limit }: { before: bigint | undefined; limit: number },
): Promise<HistoryRow[]> {
  let query = db.selectFrom('name_record').selectAll().where('name', '=', name)
  if (before !== undefined) query = query.where('sequence', '<', toSequenceText(before))
  return query.orderBy('sequence', 'desc').limit(limit).execute()
}

/** Puts a name on the list of an account. @throws CairnError NAME_LIMIT */
export async function insertEntry(
  trx: Kysely<Schema>,
  entry: { address: string; name: string; label: string | null; seal: Uint8Array | null; secretId: string | null },
  now: number,
): Promise<void> {
  // All who add to one account's list wait for each other here, so that none of them counts wrongly.
  await trx
    .updateTable('account')
    .set(({ ref }) => ({ upload_count: ref('upload_count') }))
    .where('address', '=', entry.address)
    .execute()
  const { count } = await trx
    .selectFrom('name_entry')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('address', '=', entry.address)
    .executeTakeFirstOrThrow()
  if (Number(count) >= namesPerAccountMost) {
    throw new CairnError('NAME_LIMIT', { details: { limit: namesPerAccountMost } })
  }
  await trx
    .insertInto('name_entry')
    .values({
      id: createUploadId(now).replaceAll('-', ''),
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

/** One name of an account, by the name or by its id. */
export function findEntry(
  db: Kysely<Schema>,
  address: string,
  key: { id: string } | { name: string },
): Promise<EntryRow | undefined> {
  const query = db.selectFrom('name_entry').selectAll().where('address', '=', address)
  return ('id' in key ? query.where('id', '=', key.id) : query.where('name', '=', key.name)).executeTakeFirst()
}

/** A page of an account's names, newest first. */
export function findEntries(
  db: Kysely<Schema>,
  address: string,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<EntryRow[]> {
  let query = db.selectFrom('name_entry').selectAll().where('address', '=', address)
  if (after !== undefined) query = query.where('id', '<', after)
  return query.orderBy('id', 'desc').limit(limit).execute()
}

/** The rows of several names. */
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
 * Takes a name off a list. With the last list goes its record, but not what its sequence was: nobody can bring an older one
 * back afterwards.
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
