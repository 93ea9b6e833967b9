import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensureAccount } from '../accounts/store.ts'
import { migrations } from '../db/database.ts'
import { changeAccount } from '../ledger/ledger.ts'
import { startTestStorage } from '../start-test-storage.fixture.ts'
import { repair } from './repair.ts'

let postgres: PostgresFixture
beforeAll(async () => {
  postgres = await startPostgres(migrations)
})
afterAll(() => postgres?.stop())

test('on PostgreSQL, corrects wrong totals together with an upload recorded at the same time', async () => {
  await using storage = await startTestStorage({
    CAIRN_STORAGE_SECRET: '22'.repeat(32),
    CAIRN_DATABASE_URL: await postgres.createDatabase(),
  })
  const { context } = storage
  const { db } = context
  const address = `0x${'a'.repeat(40)}`
  await ensureAccount(context, address, '127.0.0.1')
  await db.write((trx) => trx.updateTable('account').set({ data_used_bytes: 7 }).execute())
  const recorded = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const recording = db.write(async (trx) => {
    const text = { cid: 'bafy', name: 'a', kind: 'file' as const, status: 'queued' }
    const numbers = { size_bytes: 100, dag_size_bytes: 100, encryption: 0 as const, created_at: 1, updated_at: 1 }
    await trx
      .insertInto('upload')
      .values({ id: 'u', address, root_multihash: Buffer.alloc(34), ...text, ...numbers })
      .execute()
    await sql`update account set upload_count = upload_count + 1`.execute(trx)
    await changeAccount(trx, address, { usedBytes: 100 })
    recorded.resolve()
    await commit.promise
  })
  await recorded.promise
  const repaired = Array.fromAsync(repair(context))
  const countWaiting = async () =>
    (
      await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        db.read,
      )
    ).rows.length
  while ((await countWaiting()) === 0) await new Promise((resolve) => setImmediate(resolve))
  commit.resolve()
  await Promise.all([recording, repaired])
  const totals = await db.read.selectFrom('account').select(['data_used_bytes', 'upload_count']).execute()
  expect(totals).toEqual([{ data_used_bytes: 100, upload_count: 1 }])
})
