import { randomBytes } from 'node:crypto'
import { uuidv7 } from '@cairn/service'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { sql } from 'kysely'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrations } from '../db/database.ts'
import { startTestStorage } from '../start-test-storage.fixture.ts'
import { deleteFiles, deleteFilesIn } from './files.ts'

let postgres: PostgresFixture | undefined
beforeAll(async () => {
  postgres = await startPostgres(migrations)
})
afterAll(() => postgres?.stop())

test('all files of an account are deleted, also if another unit deletes some of them meanwhile', async () => {
  await using storage = await startTestStorage({ CAIRN_DATABASE_URL: (await postgres?.createDatabase()) ?? '' })
  const { context } = storage
  const { db } = context
  await storage.createKey()
  const { address } = await db.read.selectFrom('account').select('address').executeTakeFirstOrThrow()
  const now = context.clock.now()
  // One more than a unit of work deletes, so that two units share at least one.
  const ids = Array.from({ length: 501 }, () => uuidv7(now))
  const rows = ids.map((id) => {
    const multihash = create(0x12, randomBytes(32))
    return {
      id,
      address,
      cid: CID.createV1(0x55, multihash).toString(),
      root_multihash: multihash.bytes,
      name: id,
      mime_type: null,
      size_bytes: 0,
      dag_size_bytes: 1,
      encryption: 0 as const,
      is_private: 0 as const,
      storage_type: null,
      kind: 'file' as const,
      status: 'stored',
      created_at: now,
      updated_at: now,
    }
  })
  await db.write(async (trx) => {
    await trx.insertInto('upload').values(rows).execute()
    await trx.updateTable('account').set({ upload_count: rows.length }).execute()
  })
  const commit = Promise.withResolvers<void>()
  const claimed = Promise.withResolvers<void>()
  const others = db.write(async (trx) => {
    for (const id of ids.slice(0, 2)) await deleteFilesIn(context, trx, address, { id })
    claimed.resolve()
    await commit.promise
  })
  await claimed.promise
  const deletion = deleteFiles(context, address, {})
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => (await waiting.execute(db.read)).rows.length, { timeout: 20_000 }).toBe(1)
  commit.resolve()
  await Promise.all([others, deletion])
  expect(await db.read.selectFrom('upload').select('id').execute()).toEqual([])
  expect(await db.read.selectFrom('account').select('upload_count').execute()).toEqual([{ upload_count: 0 }])
})
