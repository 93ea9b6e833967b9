import { toCidStart } from '@cairn/protocol'
import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Schema, UploadTable } from '../db/schema.ts'
import { columnOf } from './index-rows.ts'
import { matchText, type SearchTokens, tokensOfSearch } from './name-tokens.ts'
import { numbersOf, timeOf } from './search-number.ts'

export { foldCase, upperOf } from './fold-case.ts'
export { indexRows, reindexRow } from './index-rows.ts'
export { createIndexWorker, indexPending } from './worker.ts'

/** Maximum matches that are counted and sorted at once: some ten milliseconds of the database. */
const maxSmall = 5000
/** Maximum CIDs that are found by their index. More are found by their token, in the order of time. */
const maxCids = 1000
/** Candidates read per step of a search in the order of time. */
const candidatesAtOnce = 2000

/** Rows that may match a search, from the index. The reader compares their names. */
export type Candidates = {
  readonly kind: Database['kind']
  readonly tokens: SearchTokens
  /** CIDs of an account, when they are found by their index rather than by their token. */
  readonly cids?: CidRange | undefined
  /** Whether they are few enough to be counted and sorted at once. */
  readonly isSmall: boolean
  /** Bounds of their numbers, the second exclusive. */
  readonly numbers?: { readonly from?: bigint | undefined; readonly before?: bigint | undefined }
}

/** CIDs of an account, the second bound exclusive. */
type CidRange = { readonly address: string; readonly from: string; readonly before: string }

/**
 * Finds candidates for a search in the index of names. Returns undefined if the index cannot answer: the text has fewer than
 * three characters, or rows of the account are not indexed yet.
 */
export async function findCandidates(db: Database, address: string, text: string): Promise<Candidates | undefined> {
  const tokens = tokensOfSearch(address, text)
  if (tokens === undefined || (await hasPending(db, address))) return undefined
  const { kind } = db
  const cids = cidsFrom(address, text)
  if ((await countUpTo(db, selectCids(kind, cids), maxCids)) <= maxCids) {
    const found = { kind, tokens, cids }
    if ((await countUpTo(db, selectNumbers(found), maxSmall)) <= maxSmall) return { ...found, isSmall: true }
  }
  const found = { kind, tokens }
  return { ...found, isSmall: (await countUpTo(db, selectNumbers(found), maxSmall)) <= maxSmall }
}

async function countUpTo(db: Database, rows: RawBuilder<unknown>, max: number): Promise<number> {
  const counted = sql<{ count: number }>`select count(*) as count from (${rows} limit ${max + 1}) as found`
  return Number((await counted.execute(db.read)).rows[0]?.count ?? 0)
}

/** The candidates as a table of uploads. */
export function candidateRows(found: Candidates): RawBuilder<Selectable<UploadTable>> {
  // The planner of PostgreSQL would read all rows in order if it expects many matches; the index is never slower here.
  if (found.kind === 'postgres') {
    return sql`(with found as materialized (select * from upload where ${isCandidate(found)}) select * from found)`
  }
  return sql`(select upload.* from (${selectNumbers(found)}) as found
    cross join upload on upload.search_number = found.rowid)`
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
  found: Candidates,
  order: 'asc' | 'desc',
): Promise<bigint | undefined> {
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  const last = sql<{ rowid: bigint }>`${selectNumbers(found)} order by 1 ${direction}
    limit 1 offset ${candidatesAtOnce - 1}`
  return (await last.execute(db)).rows[0]?.rowid
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

type Wanted = Pick<Candidates, 'kind' | 'tokens' | 'cids' | 'numbers'>

/** Selects one value per candidate: its number on SQLite. */
function selectNumbers(found: Wanted): RawBuilder<unknown> {
  const { kind, cids, numbers } = found
  if (kind === 'postgres') return sql`select 1 from upload where ${isCandidate(found)}`
  const within = (number: RawBuilder<unknown>) => {
    const from = numbers?.from === undefined ? sql`` : sql` and ${number} >= ${numbers.from}`
    const before = numbers?.before === undefined ? sql`` : sql` and ${number} < ${numbers.before}`
    return sql`${from}${before}`
  }
  const byToken = sql`select rowid from upload_search where upload_search match ${toMatch(found)}${within(sql`rowid`)}`
  // The sign keeps SQLite from using the index of numbers, with which it would read all uploads of the period.
  return cids === undefined ? byToken : sql`${byToken} union ${selectCids(kind, cids)}${within(sql`+search_number`)}`
}

/** Reads only the index. */
function selectCids(kind: Database['kind'], cids: CidRange): RawBuilder<unknown> {
  return sql`select ${kind === 'sqlite' ? sql`search_number` : sql`1`} from upload where ${isWithin(cids)}`
}

/** The query of SQLite's index. Its words have only letters and digits. */
function toMatch({ tokens: { name, cid }, cids }: Wanted): string {
  const byName = name.map((tokens) => `(${tokens.map(matchText).join(' OR ')})`).join(' AND ')
  return cids === undefined ? `(${byName}) OR ${matchText(cid)}` : byName
}

/** The condition of PostgreSQL. */
function isCandidate({ tokens: { name, cid }, cids }: Wanted): RawBuilder<boolean> {
  const byCid = cids === undefined ? sql`search_tokens @> ${[cid]}::integer[]` : isWithin(cids)
  const single = name.filter((tokens) => tokens.length === 1).flat()
  const byName = [
    ...(single.length === 0 ? [] : [sql`search_tokens @> ${single}::integer[]`]),
    ...name.flatMap((tokens) => (tokens.length === 1 ? [] : [sql`search_tokens && ${[...tokens]}::integer[]`])),
  ]
  return sql`((${sql.join(byName, sql` and `)}) or ${byCid})`
}

function isWithin({ address, from, before }: CidRange): RawBuilder<boolean> {
  return sql`(address = ${address} and cid >= ${from} and cid < ${before})`
}

function cidsFrom(address: string, text: string): CidRange {
  const from = toCidStart(text)
  // No CID has this character, and all its characters are lower ones.
  return { address, from, before: `${from}~` }
}
