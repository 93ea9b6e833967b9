import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Schema, UploadTable } from '../db/schema.ts'
import { columnOf } from './index-rows.ts'
import { matchText, type SearchTokens, tokensOfSearch } from './name-tokens.ts'
import { numbersOf, timeOf } from './search-number.ts'

export { indexRows, reindexRow } from './index-rows.ts'
export { createIndexWorker, indexPending } from './worker.ts'

/** Maximum matches that are counted and sorted at once: some ten milliseconds of the database. */
const maxSmall = 5000
/** Candidates read per step of a search in the order of time. */
const candidatesAtOnce = 2000

/** Rows that may match a search, from the index. The reader compares their names. */
export type Candidates = {
  readonly kind: Database['kind']
  readonly tokens: SearchTokens
  /** Whether they are few enough to be counted and sorted at once. */
  readonly isSmall: boolean
  /** Bounds of their numbers, the second exclusive. */
  readonly numbers?: { readonly from?: bigint | undefined; readonly before?: bigint | undefined }
}

/**
 * Looks a search up in the index of names. Returns undefined if the index cannot answer: the text has fewer than three
 * characters, or rows of the account are not indexed yet.
 */
export async function findCandidates(db: Database, address: string, text: string): Promise<Candidates | undefined> {
  const tokens = tokensOfSearch(address, text)
  if (tokens === undefined || (await hasPending(db, address))) return undefined
  const { kind } = db
  const some =
    kind === 'sqlite'
      ? sql`select rowid from upload_search where upload_search match ${toMatch(tokens)} limit ${maxSmall + 1}`
      : sql`select 1 from upload where ${hasTokens(tokens)} limit ${maxSmall + 1}`
  const { rows } = await sql<{ count: number }>`select count(*) as count from (${some}) as found`.execute(db.read)
  return { kind, tokens, isSmall: Number(rows[0]?.count ?? 0) <= maxSmall }
}

/** The candidates as a table of uploads. */
export function candidateRows({ kind, tokens, numbers }: Candidates): RawBuilder<Selectable<UploadTable>> {
  // The planner of PostgreSQL would read all rows in order if it expects many matches; the index is never slower here.
  if (kind === 'postgres') {
    return sql`(with found as materialized (select * from upload where ${hasTokens(tokens)}) select * from found)`
  }
  const from = numbers?.from === undefined ? sql`` : sql` and upload_search.rowid >= ${numbers.from}`
  const before = numbers?.before === undefined ? sql`` : sql` and upload_search.rowid < ${numbers.before}`
  return sql`(select upload.* from upload_search cross join upload on upload.search_number = upload_search.rowid
    where upload_search match ${toMatch(tokens)}${from}${before})`
}

/**
 * Splits candidates by time into steps, from a time on. Each step has all candidates of its milliseconds. For SQLite,
 * whose index is in the order of time.
 */
export async function* stepsByTime(
  db: Kysely<Schema>,
  found: Candidates,
  order: 'asc' | 'desc',
  startMs: number | undefined,
): AsyncGenerator<Candidates, void, undefined> {
  const start = startMs === undefined ? undefined : numbersOf(startMs)
  let numbers: { from?: bigint | undefined; before?: bigint | undefined } =
    order === 'desc' ? { before: start?.end } : { from: start?.first }
  for (;;) {
    const last = await skipCandidates(db, { ...found, numbers }, order)
    if (last === undefined) {
      yield { ...found, numbers }
      return
    }
    const { first, end } = numbersOf(timeOf(last))
    yield { ...found, numbers: order === 'desc' ? { ...numbers, from: first } : { ...numbers, before: end } }
    numbers = order === 'desc' ? { before: first } : { from: end }
  }
}

async function skipCandidates(
  db: Kysely<Schema>,
  { tokens, numbers }: Candidates,
  order: 'asc' | 'desc',
): Promise<bigint | undefined> {
  let query = db
    .selectFrom('upload_search')
    .select('rowid')
    .where(sql<boolean>`upload_search match ${toMatch(tokens)}`)
  if (numbers?.from !== undefined) query = query.where('rowid', '>=', numbers.from)
  if (numbers?.before !== undefined) query = query.where('rowid', '<', numbers.before)
  const row = await query
    .orderBy('rowid', order)
    .limit(1)
    .offset(candidatesAtOnce - 1)
    .executeTakeFirst()
  return row?.rowid
}

async function hasPending({ read, kind }: Database, address: string): Promise<boolean> {
  const row = await read
    .selectFrom('upload')
    .select('id')
    .where('address', '=', address)
    .where(columnOf(kind), 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The query of SQLite's index. Its words have only letters and digits. */
function toMatch({ name, cid }: SearchTokens): string {
  return `(${name.map(matchText).join(' AND ')}) OR ${matchText(cid)}`
}

function hasTokens({ name, cid }: SearchTokens): RawBuilder<boolean> {
  return sql`(search_tokens @> ${[...name]}::integer[] or search_tokens @> ${[cid]}::integer[])`
}
