import { toCidStart } from '@cairn/protocol'
import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { type UploadRow, uploadColumns } from '../db/upload-columns.ts'
import { type Candidates, candidateRows, foldCase, upperOf } from '../search/search.ts'

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

/** The uploads of an account in an order. */
export type Listing = { db: Kysely<Schema>; address: string; sorting: Sorting }

/** A position in the order: the sort value of a row, and its id. */
export type Cursor = { value: string | number; id: string }

/** Some of an account's rows: those between two cursors (including the second), or candidates of a search. */
export type Range = { after?: Cursor | undefined; upTo?: Cursor | undefined; candidates?: Candidates | undefined }

/** Returns rows of an account in order, after a cursor. */
export async function selectPage(listing: Listing, after: Cursor | undefined, limit: number): Promise<UploadRow[]> {
  return inOrder(listing, after).select(uploadColumns).limit(limit).execute()
}

/** Returns the position `count` rows after a cursor, or undefined when fewer follow. Reads only the index. */
export async function skipRows(
  listing: Listing,
  after: Cursor | undefined,
  count: number,
): Promise<Cursor | undefined> {
  const row = await inOrder(listing, after)
    .select([`${listing.sorting.by} as value`, 'id'])
    .limit(1)
    .offset(count - 1)
    .executeTakeFirst()
  return row === undefined ? undefined : { value: row.value, id: row.id }
}

/** Returns rows of a range that match a filter. */
export async function selectMatches(
  listing: Listing,
  { after, upTo, candidates }: Range,
  filter: Filter,
  limit: number,
): Promise<UploadRow[]> {
  return filtered(between(inOrder(listing, after, candidates), listing, upTo), filter)
    .select(uploadColumns)
    .limit(limit)
    .execute()
}

/** Counts the rows of a range that match a filter. */
export async function countMatches(
  listing: Listing,
  { after, upTo, candidates }: Range,
  filter: Filter,
): Promise<number> {
  const query = filtered(between(behind(rowsOf(listing, candidates), listing, after), listing, upTo), filter)
  const row = await query.select(({ fn }) => fn.countAll<number>().as('rows')).executeTakeFirst()
  return Number(row?.rows ?? 0)
}

type Rows<Output> = SelectQueryBuilder<Schema, 'upload', Output>

// biome-ignore lint/complexity/noBannedTypes: Kysely's own type of a query that selects nothing yet
function rowsOf({ db, address }: Listing, candidates?: Candidates): Rows<{}> {
  const rows =
    candidates === undefined ? db.selectFrom('upload') : db.selectFrom(candidateRows(candidates).as('upload'))
  return rows.where('address', '=', address)
}

function inOrder(
  listing: Listing,
  after: Cursor | undefined,
  candidates?: Candidates,
  // biome-ignore lint/complexity/noBannedTypes: see rowsOf
): Rows<{}> {
  const { by, order } = listing.sorting
  return behind(rowsOf(listing, candidates), listing, after).orderBy(by, order).orderBy('id', order)
}

function behind<Output>(
  query: Rows<Output>,
  { sorting: { by, order } }: Listing,
  cursor: Cursor | undefined,
): Rows<Output> {
  if (cursor === undefined) return query
  const comparison = order === 'asc' ? sql`>` : sql`<`
  return query.where(sql<boolean>`(${sql.ref(by)}, id) ${comparison} (${cursor.value}, ${cursor.id})`)
}

function between<Output>(
  query: Rows<Output>,
  { sorting: { by, order } }: Listing,
  upTo: Cursor | undefined,
): Rows<Output> {
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
