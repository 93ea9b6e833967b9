import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BaseSchema, openDatabase } from '../database/database.ts'
import type { Migration } from '../database/migration.ts'
import { type PostgresFixture, startPostgres } from '../database/postgres.fixture.ts'
import type { DumpPart } from './dump.ts'
import { insertDump } from './insert-dump.ts'

let server: PostgresFixture
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server?.stop())

test('PostgreSQL waits for a dump, however long its store stalls, and for nothing else', async () => {
  const statements = () => ['create table one (id integer)']
  const migrations: Migration[] = [{ name: '0001_one', change: 'expand', statements }]
  const url = await server.createDatabase()
  await using db = await openDatabase<BaseSchema>({ kind: 'postgres', url, poolSize: 1 }, { migrations })
  const readLimit = async (of: typeof db.read) => {
    const setting = sql<{ value: string }>`select current_setting('idle_in_transaction_session_timeout') as value`
    return (await setting.execute(of)).rows[0]?.value
  }
  const limits: unknown[] = []
  const rows = await db.write((trx) => {
    const dump = async function* (): AsyncGenerator<DumpPart> {
      yield { kind: 'table', name: 'one', columns: ['id'] }
      limits.push(await readLimit(trx))
      yield { kind: 'row', values: [7] }
      yield { kind: 'end', rows: 1 }
    }
    return insertDump(trx, db.kind, dump(), () => undefined)
  })
  // With a single connection, it is the same after the transaction.
  limits.push(await readLimit(db.read))
  expect([rows, limits]).toEqual([1, ['0', '30s']])
  expect((await sql`select id from one`.execute(db.read)).rows).toEqual([{ id: 7 }])
})
