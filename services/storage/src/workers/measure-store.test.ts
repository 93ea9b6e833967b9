import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrations } from '../db/database.ts'
import { bearer, startTestStorage } from '../start-test-storage.fixture.ts'
import { createMeasureWorker, measureStore } from './measure-store.ts'
import { systemClock } from './worker.ts'

let postgres: PostgresFixture
beforeAll(async () => {
  postgres = await startPostgres(migrations)
})
afterAll(() => postgres?.stop())

test.each(['sqlite', 'postgres'] as const)('the metrics show the store, its disks and its leases: %s', async (kind) => {
  const place = kind === 'postgres' ? { CAIRN_DATABASE_URL: await postgres.createDatabase() } : {}
  await using storage = await startTestStorage(place)
  const { context } = storage
  const key = await storage.createKey()
  const body = new FormData()
  body.append('file', new Blob(['measured']), 'a.txt')
  expect((await storage.call('/api/v0/add', { method: 'POST', ...bearer(key), body })).status).toBe(200)
  await context.db.write((trx) =>
    trx.updateTable('account').set({ blocked_at: 1, block_reason: 'a test of the metrics' }).execute(),
  )
  const read = async () => (await fetch(storage.metricsUrl ?? '')).text()

  await measureStore(context)
  const text = await read()
  for (const line of [
    /^cairn_accounts 1$/m,
    /^cairn_blocked_accounts 1$/m,
    /^cairn_packs\{state="live"\} 1$/m,
    /^cairn_blocks\{state="live"\} 1$/m,
    /^cairn_denylist_rules 0$/m,
    /^cairn_pack_bytes\{state="live"\} [1-9]\d*$/m,
    /^cairn_missing_packs 0$/m,
    /^cairn_unfinished_uploads 0$/m,
    /^cairn_lease_expires_timestamp_seconds\{name="measure"\} \d+/m,
    /^cairn_disk_free_bytes\{folder="packs"\} [1-9]/m,
    /^cairn_disk_size_bytes\{folder="home"\} [1-9]/m,
    /^cairn_sent_bytes_total\{call="addFiles"\} [1-9]/m,
  ])
    expect(text).toMatch(line)
  if (kind === 'postgres') expect(text).toMatch(/^cairn_database_connections\{state="idle"\} \d+$/m)
  else expect(text).not.toContain('cairn_database_connections')

  // Another replica measures: this one shows nothing old beside it.
  const stop = new AbortController()
  const other = { ...context, processId: 'other', clock: { now: () => context.clock.now() } }
  await createMeasureWorker(other, { ...systemClock, sleep: async () => stop.abort() }).run(stop.signal)
  expect(await read()).not.toMatch(/^cairn_accounts 1$/m)
})
