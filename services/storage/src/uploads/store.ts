import type { Kysely } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Schema, UploadTable } from '../db/schema.ts'
import { insertEvents, type NewEvent } from '../events/events.ts'
import { indexRows } from '../search/search.ts'

/** A row to insert. */
export type NewUpload = Omit<UploadTable, 'tx_hash' | 'search_number' | 'search_tokens'>

/** Rows per statement: their parameters stay far below the limit of either database. */
const rowsAtOnce = 200

/**
 * Inserts the rows of an upload with their index, adds them to their account and records an event for each, in the caller's
 * unit of work.
 */
export async function insertUploads(
  trx: Kysely<Schema>,
  kind: Database['kind'],
  address: string,
  rows: Iterable<NewUpload>,
): Promise<void> {
  let some: NewUpload[] = []
  for (const row of rows) {
    some.push(row)
    if (some.length < rowsAtOnce) continue
    await insertSome(trx, kind, address, some)
    some = []
  }
  await insertSome(trx, kind, address, some)
}

async function insertSome(
  trx: Kysely<Schema>,
  kind: Database['kind'],
  address: string,
  rows: readonly NewUpload[],
): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  const columns = await indexRows(trx, kind, rows)
  await trx
    .insertInto('upload')
    .values(rows.map((row, at) => ({ ...row, ...columns[at] })))
    .execute()
  // One statement for both counters: uploads are the most frequent write.
  const { event_count: newest } = await trx
    .updateTable('account')
    .set(({ eb }) => ({
      upload_count: eb('upload_count', '+', rows.length),
      event_count: eb('event_count', '+', rows.length),
    }))
    .where('address', '=', address)
    .returning('event_count')
    .executeTakeFirstOrThrow()
  await insertEvents(trx, address, { newest, now: first.updated_at }, rows.map(describeStored))
}

function describeStored({ id, cid, name, size_bytes: sizeBytes, encryption }: NewUpload): NewEvent {
  return { type: 'upload.stored', data: { uploadId: id, cid, name, sizeBytes, isEncrypted: encryption === 1 } }
}

/** Whether a row was written. */
export async function hasUpload(db: Kysely<Schema>, id: string): Promise<boolean> {
  const row = await db.selectFrom('upload').select('id').where('id', '=', id).executeTakeFirst()
  return row !== undefined
}

/** Returns the ids of the packs that an upload needs. */
export async function findPackIds(db: Kysely<Schema>, uploadId: string): Promise<bigint[]> {
  const rows = await db.selectFrom('upload_pack').select('pack_id').where('upload_id', '=', uploadId).execute()
  return rows.map(({ pack_id }) => pack_id)
}
