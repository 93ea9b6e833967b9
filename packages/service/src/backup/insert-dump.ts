import { CompiledQuery } from 'kysely'
import { type DumpedValue, type DumpPart, quote } from './dump.ts'

/** Both databases accept more; longer statements gain nothing. */
const maxParameters = 8000

/** The transaction that the rows are inserted in. */
type Trx = { executeQuery(query: CompiledQuery): Promise<{ rows: unknown[] }> }

/**
 * Inserts the rows of a dump into tables that exist, in one unit of work, and returns their number.
 * @param onRows called with the rows so far
 * @throws CairnError as the dump
 */
export async function insertDump(
  trx: Trx,
  kind: 'sqlite' | 'postgres',
  dump: AsyncIterable<DumpPart>,
  onRows: (rows: number) => void,
): Promise<number> {
  // A dump from a store that stalls for a while must not end the transaction, and with it hours of work.
  if (kind === 'postgres')
    await trx.executeQuery(CompiledQuery.raw('set local idle_in_transaction_session_timeout = 0'))
  let rows = 0
  let insert: ReturnType<typeof createInserter> | undefined
  for await (const part of dump) {
    if (part.kind === 'table') {
      await clear(trx, part.name)
      insert = createInserter(trx, kind, part)
    } else if (part.kind === 'row') {
      await insert?.add(part.values)
      rows++
      if (rows % 10_000 === 0) onRows(rows)
    } else {
      await insert?.flush()
    }
  }
  return rows
}

/** Removes the rows that migrations inserted, such as counters: they come from the dump. */
async function clear(trx: Trx, table: string): Promise<void> {
  const { rows } = await trx.executeQuery(CompiledQuery.raw(`select 1 from ${quote(table)} limit 1`))
  // The log of actions refuses every delete, even of no rows.
  if (rows.length > 0) await trx.executeQuery(CompiledQuery.raw(`delete from ${quote(table)}`))
}

/** Inserts rows of one table, many per statement. */
function createInserter(
  trx: Trx,
  kind: 'sqlite' | 'postgres',
  { name, columns }: Extract<DumpPart, { kind: 'table' }>,
) {
  const rowsAtOnce = Math.max(1, Math.floor(maxParameters / columns.length))
  const into = `insert into ${quote(name)} (${columns.map(quote).join(', ')}) values `
  const statementOf = (rows: number): string => {
    let at = 0
    const place = () => (kind === 'postgres' ? `$${++at}` : '?')
    const row = () => `(${columns.map(place).join(', ')})`
    return into + Array.from({ length: rows }, row).join(', ')
  }
  const full = statementOf(rowsAtOnce)
  let values: DumpedValue[] = []
  let rows = 0
  const flush = async (): Promise<void> => {
    if (rows === 0) return
    await trx.executeQuery(CompiledQuery.raw(rows === rowsAtOnce ? full : statementOf(rows), values))
    values = []
    rows = 0
  }
  return {
    flush,
    async add(row: readonly DumpedValue[]): Promise<void> {
      values.push(...row)
      if (++rows === rowsAtOnce) await flush()
    },
  }
}
