import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { sql } from 'kysely'
import { CID } from 'multiformats/cid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { migrations, openDatabase } from '../db/database.ts'
import { bearer, startTestStorage } from '../start-test-storage.fixture.ts'
import { deletePin, findDuePins, insertPin, pinOwnerLifetimeMs, takePin } from './store.ts'

const text = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'

let postgres: PostgresFixture | undefined
beforeAll(async () => {
  postgres = await startPostgres(migrations)
})
afterAll(() => postgres?.stop())

test('hides a pin recorded with an owner, or of a blocked account, from the workers until that ends', async () => {
  const home = await mkdtemp(join(tmpdir(), 'cairn-storage-pins-'))
  const db = await openDatabase({ kind: 'sqlite', path: join(home, 'storage.sqlite') })
  try {
    let now = 1_700_000_000_000
    const context = { db, clock: { now: () => now }, config: readConfig({ CAIRN_HOME: home }) }
    const address = '0x1111111111111111111111111111111111111111'
    await db.write((trx) =>
      trx
        .insertInto('account')
        .values({ address, created_at: now, data_limit_bytes: 0, data_used_bytes: 0, reserved_bytes: 0 })
        .execute(),
    )
    const insert = (owner: string | undefined) => insertPin(context, address, { cid: text }, CID.parse(text), { owner })
    const held = await insert('request')
    expect(held).toMatchObject({ status: 'pinning', owner: 'request', owner_until: now + pinOwnerLifetimeMs })
    const queued = await insert(undefined)
    expect(queued).toMatchObject({ status: 'queued', owner: null })
    const due = async () => (await findDuePins(context, [], 10)).map(({ id }) => id)
    expect(await due()).toEqual([queued.id])
    expect(await takePin(context, held.id, 'worker')).toBeUndefined()
    now += pinOwnerLifetimeMs
    expect(await due()).toEqual([held.id, queued.id])
    const block = (blockedAt: number | null) =>
      db.write((trx) => trx.updateTable('account').set({ blocked_at: blockedAt }).execute())
    await block(now)
    expect(await due()).toEqual([])
    await block(null)
    expect(await due()).toEqual([held.id, queued.id])
    expect(await takePin(context, held.id, 'worker')).toMatchObject({ owner: 'worker' })
  } finally {
    await db.close()
    await rm(home, { recursive: true, force: true })
  }
})

test('a pin that is stored while it is removed is removed with its upload', async () => {
  await using storage = await startTestStorage({ CAIRN_DATABASE_URL: (await postgres?.createDatabase()) ?? '' })
  const { context } = storage
  const { db } = context
  const body = new FormData()
  body.append('file', new Blob(['pinned']), 'a')
  await storage.call('/api/v0/add', { method: 'POST', ...bearer(await storage.createKey()), body })
  const upload = await db.read.selectFrom('upload').select(['id', 'address']).executeTakeFirstOrThrow()
  const { id } = await insertPin(context, upload.address, { cid: text }, CID.parse(text), { owner: 'request' })
  const [locked, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const storing = db.write(async (trx) => {
    await trx.updateTable('pin').set({ status: 'pinned', upload_id: upload.id }).where('id', '=', id).execute()
    locked.resolve()
    await commit.promise
  })
  await locked.promise
  const removal = deletePin(context, upload.address, id)
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => (await waiting.execute(db.read)).rows.length, { timeout: 20_000 }).toBe(1)
  commit.resolve()
  await Promise.all([storing, removal])
  expect(await db.read.selectFrom('pin').select('id').execute()).toEqual([])
  expect(await db.read.selectFrom('upload').select('id').execute()).toEqual([])
})
