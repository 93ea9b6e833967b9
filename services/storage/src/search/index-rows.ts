import { prepareStatement, type StatementParams } from '@cairn/service'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import { matchText, tokensOfRow } from './name-tokens.ts'
import { numbersOf } from './search-number.ts'

/** The columns of an upload that the index reads. */
export type IndexedRow = { id: string; address: string; name: string; cid: string; created_at: number }

/** Columns that an indexed row of `upload` has: its number on SQLite, its tokens on PostgreSQL. */
export type SearchColumns = { search_number?: bigint | null; search_tokens?: number[] }

/**
 * Adds rows to the index in the caller's unit of work, and returns the columns to store with each. A row may be written
 * after this, but a row that exists must have none of these columns yet.
 */
export async function indexRows(
  trx: Kysely<Schema>,
  kind: Database['kind'],
  rows: readonly IndexedRow[],
): Promise<SearchColumns[]> {
  if (kind === 'postgres') return rows.map((row) => ({ search_tokens: tokensOfRow(row) }))
  const numbers = await assignNumbers(trx, rows)
  const entries = rows.flatMap((row, at) => {
    const number = numbers[at] ?? null
    return number === null ? [] : [toEntry(row, number)]
  })
  const [entry, ...more] = entries
  if (entry !== undefined && more.length === 0) await insertEntry(trx, entry)
  else if (entry !== undefined) await trx.insertInto('upload_search').values(entries).execute()
  return numbers.map((number) => ({ search_number: number }))
}

const insertEntry = prepareStatement((trx: Kysely<Schema>, param: StatementParams<Schema['upload_search']>) =>
  trx.insertInto('upload_search').values({ rowid: param('rowid'), tokens: param('tokens') }),
)

const lastNumber = prepareStatement((trx: Kysely<Schema>, param: StatementParams<{ first: bigint; end: bigint }>) =>
  trx
    .selectFrom('upload')
    .select('search_number')
    .where('search_number', '>=', param('first'))
    .where('search_number', '<', param('end'))
    .orderBy('search_number', 'desc')
    // As a parameter, SQLite would compile the statement again each time.
    .limit(sql.lit(1)),
)

/** Indexes a row that exists and is not indexed. Returns whether it is indexed now. */
export async function indexStored(
  trx: Kysely<Schema>,
  row: IndexedRow,
  columns: SearchColumns | undefined,
): Promise<boolean> {
  if (columns === undefined || columns.search_number === null) return false
  await trx.updateTable('upload').set(columns).where('id', '=', row.id).execute()
  return true
}

/** Indexes a row again, in the unit of work that has changed its name. */
export async function reindexRow(trx: Kysely<Schema>, kind: Database['kind'], row: IndexedRow): Promise<void> {
  const { indexed } = await trx
    .selectFrom('upload')
    .select(({ eb }) => eb(columnOf(kind), 'is not', null).as('indexed'))
    .where('id', '=', row.id)
    .executeTakeFirstOrThrow()
  // The same name again.
  if (indexed) return
  const [columns] = await indexRows(trx, kind, [row])
  await indexStored(trx, row, columns)
}

/** Returns the column that is null until a row is indexed. */
export function columnOf(kind: Database['kind']): 'search_number' | 'search_tokens' {
  return kind === 'sqlite' ? 'search_number' : 'search_tokens'
}

function toEntry(row: IndexedRow, number: bigint): { rowid: bigint; tokens: string } {
  return { rowid: number, tokens: tokensOfRow(row).map(matchText).join(' ') }
}

/** Returns a free number for each row; null where all numbers of its millisecond are taken. */
async function assignNumbers(trx: Kysely<Schema>, rows: readonly IndexedRow[]): Promise<(bigint | null)[]> {
  const free = new Map<number, bigint>()
  const numbers: (bigint | null)[] = []
  for (const { created_at: time } of rows) {
    const { first, end } = numbersOf(time)
    let number = free.get(time)
    if (number === undefined) {
      const [last] = await lastNumber(trx, { first, end })
      number = typeof last?.search_number === 'bigint' ? last.search_number + 1n : first
    }
    free.set(time, number + 1n)
    numbers.push(number < end ? number : null)
  }
  return numbers
}
