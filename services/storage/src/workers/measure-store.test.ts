import { join } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { addMeasuredGauge } from '@cairn/service'
import { databaseKinds } from '@cairn/service/on-databases-fixture'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrations } from '../db/database.ts'
import { createStorageMetrics } from '../metrics.ts'
import { bearer, startTestStorage } from '../start-test-storage.fixture.ts'
import { createMeasureWorker, measureStore, watchMachine } from './measure-store.ts'
import { systemClock } from './worker.ts'

let postgres: PostgresFixture
beforeAll(async () => {
  postgres = await startPostgres(migrations)
})
afterAll(() => postgres?.stop())

test('the metrics are shown without what cannot be measured', async () => {
  const metrics = createStorageMetrics()
  const failed: unknown[] = []
  const failures = { failed: (...all: unknown[]) => failed.push(...all.slice(2)), recovered: () => undefined }
  let isGone = false
  const measured = (value: number) => (isGone ? Promise.reject(new CairnError('UNAVAILABLE')) : value)
  addMeasuredGauge({ metrics, failures }, { name: 'cairn_one', help: 'One' }, { all: () => measured(7) })
  const both = { good: () => 8, bad: () => measured(9) }
  addMeasuredGauge({ metrics, failures }, { name: 'cairn_two', help: 'Two', label: 'side' }, both)
  const read = async () => (await metrics.registry.metrics()).match(/^cairn_(one|two).*$/gm)
  expect(await read()).toEqual(['cairn_one 7', 'cairn_two{side="good"} 8', 'cairn_two{side="bad"} 9'])
  isGone = true
  expect(await read()).toEqual(['cairn_two{side="good"} 8'])
  expect(failed).toEqual([
    'failed to measure',
    { metric: 'cairn_one' },
    'failed to measure',
    { metric: 'cairn_two', side: 'bad' },
  ])
})

test('the disk of a folder that does not exist is measured', async () => {
  await using storage = await startTestStorage()
  const { context } = storage
  const metrics = createStorageMetrics()
  const config = { ...context.config, home: join(context.config.home, 'gone', 'home') }
  watchMachine({ ...context, config, metrics })
  expect(await metrics.registry.metrics()).toMatch(/^cairn_disk_size_bytes\{folder="home"\} [1-9]/m)
})

test.each(databaseKinds)('the metrics show the store, its disks and its leases: %s', async (kind) => {
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

  // As in the alert: the packs that are verified, and none if scrubbing is off.
  const verified = async (scrubBytesPerSecond: number) => {
    await measureStore({ ...context, config: { ...context.config, scrubBytesPerSecond } })
    return /^cairn_oldest_scrub_timestamp_seconds (\d+)$/m.exec(await read())?.[1]
  }
  await context.db.write((trx) => trx.updateTable('pack').set({ scrubbed_at: 5000 }).execute())
  expect([await verified(1), await verified(0)]).toEqual(['5', '0'])
  await context.db.write((trx) => trx.updateTable('pack').set({ missing_at: 1 }).execute())
  expect(await verified(1)).toBe('0')

  // Another replica measures, so this one shows no outdated values.
  const stop = new AbortController()
  const other = { ...context, processId: 'other', clock: { now: () => context.clock.now() } }
  await createMeasureWorker(other, { ...systemClock, sleep: async () => stop.abort() }).run(stop.signal)
  expect(await read()).not.toMatch(/^cairn_accounts 1$/m)
})
