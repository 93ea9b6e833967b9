import { prepareStatement, type StatementParams } from '@cairn/service'
import type { Kysely } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Schema, UploadTable } from '../db/schema.ts'
import { insertEvents, type NewEvent } from '../events/events.ts'
import { yieldToOthers } from '../resources/yield-to-others.ts'
import { indexRows } from '../search/search.ts'

/** A row to insert. */
export type NewUpload = Omit<
  UploadTable,
  'tx_hash' | 'search_number' | 'search_tokens' | 'is_private' | 'idempotency_key' | 'upload_link_id'
> & {
  is_private: 0 | 1
  idempotency_key?: Uint8Array | undefined
  upload_link_id?: string | null | undefined
}

/** The values of a row, without those of its search index. */
type UploadValues = Omit<NewUpload, 'idempotency_key' | 'upload_link_id'> & {
  idempotency_key: Uint8Array | null
  upload_link_id: string | null
}

const toValues = (row: NewUpload): UploadValues => ({
  ...row,
  idempotency_key: row.idempotency_key ?? null,
  upload_link_id: row.upload_link_id ?? null,
})

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
    // On SQLite, statements make no pause of their own.
    await yieldToOthers()
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
  const { search_number, search_tokens } = columns[0] ?? {}
  if (rows.length > 1) {
    await trx
      .insertInto('upload')
      .values(rows.map((row, at) => ({ ...toValues(row), ...columns[at] })))
      .execute()
  } else if (search_tokens !== undefined) await insertWithTokens(trx, { ...toValues(first), search_tokens })
  else await insertWithNumber(trx, { ...toValues(first), search_number: search_number ?? null })
  const [counted] = await countUploads(trx, { address, count: rows.length })
  if (counted === undefined) throw new TypeError(`No account ${address}`)
  const at = { newest: counted.event_count, now: first.updated_at }
  await insertEvents(trx, address, at, rows.map(describeStored))
}

const valuesOf = (param: StatementParams<UploadValues>) => ({
  id: param('id'),
  address: param('address'),
  cid: param('cid'),
  root_multihash: param('root_multihash'),
  name: param('name'),
  mime_type: param('mime_type'),
  size_bytes: param('size_bytes'),
  dag_size_bytes: param('dag_size_bytes'),
  encryption: param('encryption'),
  storage_type: param('storage_type'),
  kind: param('kind'),
  status: param('status'),
  created_at: param('created_at'),
  updated_at: param('updated_at'),
  is_private: param('is_private'),
  idempotency_key: param('idempotency_key'),
  upload_link_id: param('upload_link_id'),
})

const insertWithNumber = prepareStatement(
  (trx: Kysely<Schema>, param: StatementParams<UploadValues & { search_number: bigint | null }>) =>
    trx.insertInto('upload').values({ ...valuesOf(param), search_number: param('search_number') }),
)

const insertWithTokens = prepareStatement(
  (trx: Kysely<Schema>, param: StatementParams<UploadValues & { search_tokens: number[] }>) =>
    trx.insertInto('upload').values({ ...valuesOf(param), search_tokens: param('search_tokens') }),
)

/** One statement for both counters: uploads are the most frequent write. */
const countUploads = prepareStatement(
  (trx: Kysely<Schema>, param: StatementParams<{ address: string; count: number }>) =>
    trx
      .updateTable('account')
      .set(({ eb }) => ({
        upload_count: eb('upload_count', '+', param('count')),
        event_count: eb('event_count', '+', param('count')),
      }))
      .where('address', '=', param('address'))
      .returning('event_count'),
)

function describeStored({ id, cid, name, size_bytes: sizeBytes, encryption, is_private }: NewUpload): NewEvent {
  const access = { isEncrypted: encryption === 1, isPrivate: is_private === 1 }
  return { type: 'upload.stored', data: { uploadId: id, cid, name, sizeBytes, ...access } }
}

/** Whether a row was written. */
export async function hasUpload(db: Kysely<Schema>, id: string): Promise<boolean> {
  const row = await db.selectFrom('upload').select('id').where('id', '=', id).executeTakeFirst()
  return row !== undefined
}

/** Locks uploads that the unit of work deletes later. SQLite has one writer. */
export async function lockUploads(
  trx: Kysely<Schema>,
  kind: Database['kind'],
  ids: readonly string[] = [],
): Promise<void> {
  if (kind === 'sqlite' || ids.length === 0) return
  await trx.selectFrom('upload').select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute()
}

/** Returns the ids of the packs that an upload needs. */
export async function findPackIds(db: Kysely<Schema>, uploadId: string): Promise<bigint[]> {
  const rows = await db.selectFrom('upload_pack').select('pack_id').where('upload_id', '=', uploadId).execute()
  return rows.map(({ pack_id }) => pack_id)
}
