import type { Kysely } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import { type UploadRow, uploadColumns } from '../db/upload-columns.ts'
import { insertEvents } from '../events/events.ts'
import { withdrawUploads } from '../ipni/ipni.ts'
import { reindexRow } from '../search/search.ts'

export type { UploadRow } from '../db/upload-columns.ts'

/** A row that is being deleted. */
export type DeletedUpload = Pick<UploadRow, 'id' | 'cid' | 'name' | 'size_bytes'>

/** Returns the number of an account's uploads. It is stored with the account, so the cost is constant. */
export async function selectUploadCount(db: Kysely<Schema>, address: string): Promise<number> {
  const row = await db.selectFrom('account').select('upload_count').where('address', '=', address).executeTakeFirst()
  return row?.upload_count ?? 0
}

/** Returns one row of an account. */
export async function selectUpload(db: Kysely<Schema>, address: string, id: string): Promise<UploadRow | undefined> {
  return db
    .selectFrom('upload')
    .select(uploadColumns)
    .where('id', '=', id)
    .where('address', '=', address)
    .executeTakeFirst()
}

/** Returns the oldest public uploads of any account with this root. */
export async function selectByRoot(db: Kysely<Schema>, multihash: Uint8Array, limit: number): Promise<UploadRow[]> {
  return rowsByRoot(db, multihash).where('is_private', '=', 0).orderBy('id', 'asc').limit(limit).execute()
}

/** Returns the newest uploads of one account with this root. */
export async function selectOwnByRoot(
  db: Kysely<Schema>,
  multihash: Uint8Array,
  address: string,
  limit: number,
): Promise<UploadRow[]> {
  const own = rowsByRoot(db, multihash).where('address', '=', address).orderBy('id', 'desc').limit(limit)
  // A query for each, because only then do they come from the index in order.
  const rows = [
    ...(await own.where('is_private', '=', 0).execute()),
    ...(await own.where('is_private', '=', 1).execute()),
  ]
  return rows.toSorted((one, other) => (one.id < other.id ? 1 : -1)).slice(0, limit)
}

function rowsByRoot(db: Kysely<Schema>, multihash: Uint8Array) {
  return db
    .selectFrom('upload')
    .select(uploadColumns)
    .where('root_multihash', '=', multihash)
    .where('status', '!=', 'deleting')
}

/** Returns the ids of rows of an account that are not being deleted. Other units may take them. */
export async function findForDeletion(
  trx: Kysely<Schema>,
  address: string,
  wanted: { id?: string | undefined; ids?: readonly string[] | undefined; multihash?: Uint8Array | undefined },
  limit: number,
): Promise<string[]> {
  let found = trx.selectFrom('upload').select('id').where('address', '=', address).where('status', '!=', 'deleting')
  if (wanted.id !== undefined) found = found.where('id', '=', wanted.id)
  if (wanted.ids !== undefined) found = found.where('id', 'in', wanted.ids)
  if (wanted.multihash !== undefined) found = found.where('root_multihash', '=', wanted.multihash)
  const rows = await found.limit(limit).execute()
  return rows.map(({ id }) => id)
}

/** Claims rows for deletion: of two units that want the same row only one gets it. Returns the claimed rows. */
export function claimForDeletion(trx: Kysely<Schema>, ids: readonly string[]): Promise<DeletedUpload[]> {
  return trx
    .updateTable('upload')
    .set({ status: 'deleting' })
    .where('id', 'in', ids)
    .where('status', '!=', 'deleting')
    .returning(['id', 'cid', 'name', 'size_bytes'])
    .execute()
}

/** Deletes claimed rows, subtracts them from the account and records an event for each. */
export async function deleteUploads(
  trx: Kysely<Schema>,
  address: string,
  rows: readonly DeletedUpload[],
  now: number,
): Promise<void> {
  const ids = rows.map(({ id }) => id)
  const { event_count: newest } = await trx
    .updateTable('account')
    .set(({ eb }) => ({
      upload_count: eb('upload_count', '-', rows.length),
      event_count: eb('event_count', '+', rows.length),
    }))
    .where('address', '=', address)
    .returning('event_count')
    .executeTakeFirstOrThrow()
  // After the account, as an upload announces itself: in the opposite order, two units wait for each other.
  await withdrawUploads(trx, ids, now)
  await trx.deleteFrom('upload').where('id', 'in', ids).execute()
  const events = rows.map(({ id, cid, name, size_bytes: sizeBytes }) => ({
    type: 'upload.deleted' as const,
    data: { uploadId: id, cid, name, sizeBytes },
  }))
  await insertEvents(trx, address, { newest, now }, events)
}

/** Renames an upload; returns undefined when there is no such row. */
export async function updateName(
  trx: Kysely<Schema>,
  kind: Database['kind'],
  { address, id, name, now }: { address: string; id: string; name: string; now: number },
): Promise<UploadRow | undefined> {
  const row = await trx
    .updateTable('upload')
    .set({ name, updated_at: now })
    .where('id', '=', id)
    .where('address', '=', address)
    .returning(uploadColumns)
    .executeTakeFirst()
  if (row !== undefined) await reindexRow(trx, kind, row)
  return row
}
