import { type Kysely, type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import type { Schema, UploadTable } from '../db/schema.ts'

export type UploadRow = Selectable<UploadTable>

/** What a listing can be sorted by, and how. Each has an index that gives the rows in order. */
export type Sorting = { by: 'created_at' | 'name' | 'size_bytes'; order: 'asc' | 'desc' }

/** Which rows of an account. */
export type Filter = {
  encryption?: boolean
  /** Starts of the MIME type, any of them. */
  mimePrefixes?: readonly string[]
  /** Part of the name, in any case, or the start of the CID. */
  search?: string
}

/** A place in the order: the sorted value of a row, and its id. */
export type Cursor = { value: string | number; id: string }

/** Rows of an account in order, behind a cursor. */
export async function selectPage(
  db: Kysely<Schema>,
  address: string,
  sorting: Sorting,
  after: Cursor | undefined,
  limit: number,
): Promise<UploadRow[]> {
  return inOrder(db, address, sorting, after).selectAll().limit(limit).execute()
}

/** The place `count` rows behind a cursor, or undefined where fewer follow. Reads nothing but the index. */
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

/** Rows between two cursors (the second included) that fit a filter. */
export async function selectMatches(
  db: Kysely<Schema>,
  address: string,
  sorting: Sorting,
  range: { after: Cursor | undefined; upTo: Cursor | undefined },
  filter: Filter,
  limit: number,
): Promise<UploadRow[]> {
  return filtered(between(inOrder(db, address, sorting, range.after), sorting, range.upTo), filter)
    .selectAll()
    .limit(limit)
    .execute()
}

/** How many rows between two cursors (the second included) fit a filter. */
export async function countMatches(
  db: Kysely<Schema>,
  address: string,
  sorting: Sorting,
  range: { after: Cursor | undefined; upTo: Cursor | undefined },
  filter: Filter,
): Promise<number> {
  const query = filtered(between(behind(rowsOf(db, address), sorting, range.after), sorting, range.upTo), filter)
  const row = await query.select(({ fn }) => fn.countAll<number>().as('rows')).executeTakeFirst()
  return Number(row?.rows ?? 0)
}

/** How many uploads an account has: kept beside the account, so that it costs the same whatever their number. */
export async function selectUploadCount(db: Kysely<Schema>, address: string): Promise<number> {
  const row = await db.selectFrom('account').select('upload_count').where('address', '=', address).executeTakeFirst()
  return row?.upload_count ?? 0
}

/** One row of an account. */
export async function selectUpload(db: Kysely<Schema>, address: string, id: string): Promise<UploadRow | undefined> {
  return db.selectFrom('upload').selectAll().where('id', '=', id).where('address', '=', address).executeTakeFirst()
}

/** The oldest uploads, of any account, with this root. */
export async function selectByRoot(db: Kysely<Schema>, multihash: Uint8Array, limit: number): Promise<UploadRow[]> {
  return rowsByRoot(db, multihash).orderBy('id', 'asc').limit(limit).execute()
}

/** The newest uploads of one account with this root. */
export async function selectOwnByRoot(
  db: Kysely<Schema>,
  multihash: Uint8Array,
  address: string,
  limit: number,
): Promise<UploadRow[]> {
  return rowsByRoot(db, multihash).where('address', '=', address).orderBy('id', 'desc').limit(limit).execute()
}

function rowsByRoot(db: Kysely<Schema>, multihash: Uint8Array) {
  return db.selectFrom('upload').selectAll().where('root_multihash', '=', multihash).where('status', '!=', 'deleting')
}

/**
 * Claims rows of an account for deletion: of two units that want the same row only one gets it. Answers their ids and
 * sizes.
 */
export async function claimForDeletion(
  trx: Kysely<Schema>,
  address: string,
  wanted: { id?: string | undefined; multihash?: Uint8Array | undefined },
  limit: number,
): Promise<Pick<UploadRow, 'id' | 'size_bytes'>[]> {
  let found = trx.selectFrom('upload').select('id').where('address', '=', address)
  if (wanted.id !== undefined) found = found.where('id', '=', wanted.id)
  if (wanted.multihash !== undefined) found = found.where('root_multihash', '=', wanted.multihash)
  const ids = await found.limit(limit).execute()
  if (ids.length === 0) return []
  return trx
    .updateTable('upload')
    .set({ status: 'deleting' })
    .where(
      'id',
      'in',
      ids.map(({ id }) => id),
    )
    .where('status', '!=', 'deleting')
    .returning(['id', 'size_bytes'])
    .execute()
}

/** Deletes claimed rows and counts them off the account. */
export async function deleteUploads(trx: Kysely<Schema>, address: string, ids: readonly string[]): Promise<void> {
  await trx.deleteFrom('upload').where('id', 'in', ids).execute()
  await trx
    .updateTable('account')
    .set(({ eb }) => ({ upload_count: eb('upload_count', '-', ids.length) }))
    .where('address', '=', address)
    .execute()
}

/** Gives a row another name; undefined where there is no such row. */
export async function updateName(
  trx: Kysely<Schema>,
  address: string,
  id: string,
  name: string,
  now: number,
): Promise<UploadRow | undefined> {
  return trx
    .updateTable('upload')
    .set({ name, updated_at: now })
    .where('id', '=', id)
    .where('address', '=', address)
    .returningAll()
    .executeTakeFirst()
}

type Rows<Output> = SelectQueryBuilder<Schema, 'upload', Output>

// biome-ignore lint/complexity/noBannedTypes: Kysely's own type of a query that selects nothing yet
function rowsOf(db: Kysely<Schema>, address: string): Rows<{}> {
  return db.selectFrom('upload').where('address', '=', address)
}

// biome-ignore lint/complexity/noBannedTypes: see rowsOf
function inOrder(db: Kysely<Schema>, address: string, sorting: Sorting, after: Cursor | undefined): Rows<{}> {
  return behind(rowsOf(db, address), sorting, after).orderBy(sorting.by, sorting.order).orderBy('id', sorting.order)
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
  if (filter.encryption !== undefined) narrowed = narrowed.where('encryption', '=', filter.encryption ? 1 : 0)
  const { mimePrefixes = [] } = filter
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
    const text = escapeLike(filter.search.toLowerCase())
    narrowed = narrowed.where(
      sql<boolean>`(lower(name) like ${`%${text}%`} escape '!' or cid like ${`${escapeLike(filter.search)}%`} escape '!')`,
    )
  }
  return narrowed
}

function escapeLike(text: string): string {
  return text.replace(/[!%_]/g, '!$&')
}
