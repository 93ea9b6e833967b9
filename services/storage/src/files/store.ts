import { toCidStart } from '@cairn/protocol'
import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import { type UploadRow, uploadColumns } from '../db/upload-columns.ts'
import { insertEvents } from '../events/events.ts'
import { withdrawUploads } from '../ipni/ipni.ts'
import { type Candidates, candidateRows, foldCase, reindexRow, upperOf } from '../search/search.ts'

export type { UploadRow } from '../db/upload-columns.ts'

/** A row that is being deleted. */
export type DeletedUpload = Pick<UploadRow, 'id' | 'cid' | 'name' | 'size_bytes'>

/** Sort keys and orders of a listing. Each has an index that returns the rows in order. */
export type Sorting = { by: 'created_at' | 'name' | 'size_bytes'; order: 'asc' | 'desc' }

/** Who can read an upload: everyone, its owner and people with a signed link, or those with its file key. */
export type Access = 'public' | 'private' | 'encrypted'

/** Filter over an account's rows. */
export type Filter = {
  /** Who can read the content: any of these. */
  access?: readonly Access[]
  /** Prefixes of the MIME type; any of them matches. */
  mimePrefixes?: readonly string[]
  /** Part of the name, in any case, or prefix of the CID. */
  search?: string
}

/** A position in the order: the sort value of a row, and its id. */
export type Cursor = { value: string | number; id: string }

/** Some of an account's rows: those between two cursors (including the second), or candidates of a search. */
export type Range = { after?: Cursor | undefined; upTo?: Cursor | undefined; candidates?: Candidates | undefined }

/** Returns rows of an account in order, after a cursor. */
export async function selectPage(
  db: Kysely<Schema>,
  address: string,
  sorting: Sorting,
  after: Cursor | undefined,
  limit: number,
): Promise<UploadRow[]> {
  return inOrder(db, address, sorting, after).select(uploadColumns).limit(limit).execute()
}

/** Returns the position `count` rows after a cursor, or undefined when fewer follow. Reads only the index. */
export async function skipRows(
  db: Kysely<Schema>,
  address: string,
  sorting: Sorting,
  after: Cursor | undefined,
  count: number,
): Promise<Cursor | undefined> {
  const row = await inOrder(db, address, sorting, after)
    .select([`${sorting.by} as value`, 'id'])
    .limit(1)
    .offset(count - 1)
    .executeTakeFirst()
  return row === undefined ? undefined : { value: row.value, id: row.id }
}

/** Returns rows of a range that match a filter. */
export async function selectMatches(
  db: Kysely<Schema>,
  address: string,
  sorting: Sorting,
  { after, upTo, candidates }: Range,
  filter: Filter,
  limit: number,
): Promise<UploadRow[]> {
  return filtered(between(inOrder(db, address, sorting, after, candidates), sorting, upTo), filter)
    .select(uploadColumns)
    .limit(limit)
    .execute()
}

/** Counts the rows of a range that match a filter. */
export async function countMatches(
  db: Kysely<Schema>,
  address: string,
  sorting: Sorting,
  { after, upTo, candidates }: Range,
  filter: Filter,
): Promise<number> {
  const query = filtered(between(behind(rowsOf(db, address, candidates), sorting, after), sorting, upTo), filter)
  const row = await query.select(({ fn }) => fn.countAll<number>().as('rows')).executeTakeFirst()
  return Number(row?.rows ?? 0)
}

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
  address: string,
  id: string,
  name: string,
  now: number,
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

type Rows<Output> = SelectQueryBuilder<Schema, 'upload', Output>

// biome-ignore lint/complexity/noBannedTypes: Kysely's own type of a query that selects nothing yet
function rowsOf(db: Kysely<Schema>, address: string, candidates?: Candidates): Rows<{}> {
  const rows =
    candidates === undefined ? db.selectFrom('upload') : db.selectFrom(candidateRows(candidates).as('upload'))
  return rows.where('address', '=', address)
}

function inOrder(
  db: Kysely<Schema>,
  address: string,
  sorting: Sorting,
  after: Cursor | undefined,
  candidates?: Candidates,
  // biome-ignore lint/complexity/noBannedTypes: see rowsOf
): Rows<{}> {
  return behind(rowsOf(db, address, candidates), sorting, after)
    .orderBy(sorting.by, sorting.order)
    .orderBy('id', sorting.order)
}

function behind<Output>(query: Rows<Output>, { by, order }: Sorting, cursor: Cursor | undefined): Rows<Output> {
  if (cursor === undefined) return query
  const comparison = order === 'asc' ? sql`>` : sql`<`
  return query.where(sql<boolean>`(${sql.ref(by)}, id) ${comparison} (${cursor.value}, ${cursor.id})`)
}

function between<Output>(query: Rows<Output>, { by, order }: Sorting, upTo: Cursor | undefined): Rows<Output> {
  if (upTo === undefined) return query
  const comparison = order === 'asc' ? sql`<=` : sql`>=`
  return query.where(sql<boolean>`(${sql.ref(by)}, id) ${comparison} (${upTo.value}, ${upTo.id})`)
}

function filtered<Output>(query: Rows<Output>, filter: Filter): Rows<Output> {
  let narrowed = query
  const { access = [], mimePrefixes = [] } = filter
  if (access.length > 0) {
    narrowed = narrowed.where(({ or }) => or(access.map((one) => accessConditions[one])))
  }
  if (mimePrefixes.length > 0) {
    narrowed = narrowed.where(({ or }) =>
      or(
        mimePrefixes.map(
          (prefix) => sql<boolean>`lower(mime_type) like ${`${escapeLike(prefix.toLowerCase())}%`} escape '!'`,
        ),
      ),
    )
  }
  if (filter.search !== undefined) {
    const text = foldCase(filter.search)
    const start = toCidStart(filter.search)
    // LIKE ignores case on SQLite only.
    narrowed = narrowed.where(
      sql<boolean>`(${lowerName(text)} like ${`%${escapeLike(text)}%`} escape '!' or substr(cid, 1, cast(${start.length} as integer)) = ${start})`,
    )
  }
  return narrowed
}

/** An upload is never both private and encrypted. */
const accessConditions: Record<Access, RawBuilder<boolean>> = {
  public: sql<boolean>`(encryption = 0 and is_private = 0)`,
  private: sql<boolean>`is_private = 1`,
  encrypted: sql<boolean>`encryption = 1`,
}

/** The name in lower case. The databases know only the letters of ASCII; of the others, those of `text` matter. */
function lowerName(text: string): RawBuilder<string> {
  let name = sql<string>`lower(name)`
  for (const letter of new Set(text)) {
    const upper = letter > '\x7f' ? upperOf(letter) : undefined
    if (upper !== undefined) name = sql<string>`replace(${name}, ${upper}, ${letter})`
  }
  return name
}

function escapeLike(text: string): string {
  return text.replace(/[!%_]/g, '!$&')
}
