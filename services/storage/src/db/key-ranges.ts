import { type RawBuilder, sql } from 'kysely'
import type { Database } from './database.ts'

/** Primary keys, and what comes before all of them. */
const keys = { account: ['address', ''], pack: ['id', -1n], upload: ['id', ''] } as const

/** Rows that one statement compares; fewer accounts, because each may have very many uploads. */
export const rowsInOneRange = 1000
export const accountsInOneRange = 20

/**
 * Divides a table into ranges of its primary key and yields the condition of each, in order: a comparison of all rows is then
 * many short statements. PostgreSQL ends one that takes longer than 30 s.
 * @param rows maximum rows of a range
 */
export async function* keyRanges(
  { read }: Pick<Database, 'read'>,
  table: keyof typeof keys,
  rows: number,
): AsyncGenerator<RawBuilder<boolean>> {
  const [column, first] = keys[table]
  const key = sql.ref(`${table}.${column}`)
  for (let after: string | bigint = first; ; ) {
    const some = sql`select ${key} as id from ${sql.table(table)} where ${key} > ${after} order by ${key} limit ${rows}`
    const found = await sql<{ id: string | bigint | null }>`select max(id) as id from (${some}) as ranged`.execute(read)
    const until: string | bigint | null | undefined = found.rows[0]?.id
    if (until === null || until === undefined) return
    yield sql<boolean>`(${key} > ${after} and ${key} <= ${until})`
    after = until
  }
}
