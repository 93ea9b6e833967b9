import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogGate } from '@cairn/service'
import pino from 'pino'
import { afterEach, expect, test, vi } from 'vitest'
import type { Context } from '../../context.ts'
import { type Database, openDatabase } from '../../db/database.ts'
import { fakeRenewals, outlastLease } from '../../workers/outlast-lease.fixture.ts'
import { createPublishRounds, createPublishWorker, publishChanged } from './publish-worker.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** A bucket that cannot be published, because its name is invalid. */
async function insertBucket(db: Database): Promise<void> {
  const address = '0x00000000000000000000000000000000000000aa'
  await db.write(async (trx) => {
    const account = { address, created_at: 0, data_limit_bytes: 0, data_used_bytes: 0, reserved_bytes: 0 }
    await trx.insertInto('account').values(account).execute()
    const bucket = { name: 'bucket', address, created_at: 0, ipns_name: 'not a name', published_revision: -1 }
    await trx.insertInto('s3_bucket').values(bucket).execute()
  })
}

test('a bucket that failed while the clock was ahead is tried again once it is right', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-publish-worker-'))
  await using db = await openDatabase({ kind: 'sqlite', path: join(folder, 'cairn.sqlite') })
  const clock = { ms: Date.now(), now: () => clock.ms }
  await insertBucket(db)
  const log = pino({ level: 'silent' })
  const context: Partial<Context> = { db, clock, log, failures: createLogGate({ clock, log }) }
  const rounds = createPublishRounds()
  const attempt = async () => {
    await publishChanged(context as Context, rounds, new AbortController().signal)
    return rounds.due.get('bucket')?.retryMs
  }
  clock.ms += 86_400_000
  expect([await attempt(), await attempt()]).toEqual([60_000, 60_000])
  clock.ms -= 86_400_000
  expect([await attempt(), await attempt()]).toEqual([120_000, 120_000])
  await rm(folder, { recursive: true, force: true })
})

test('a round longer than its lease keeps it from other replicas', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-publish-worker-'))
  await using db = await openDatabase({ kind: 'sqlite', path: join(folder, 'cairn.sqlite') })
  const clock = { ms: Date.now(), now: () => clock.ms }
  await insertBucket(db)
  let units = 0
  let isTaken: boolean | undefined
  const write: typeof db.write = async (work) => {
    // The first one acquires the lease, the second one records that the name is invalid.
    if (++units === 2) isTaken = await outlastLease(db, clock, { name: 's3-publish', durationMs: 600_000 })
    return db.write(work)
  }
  const log = pino({ level: 'silent' })
  const parts = { db: { ...db, write }, clock, log, failures: createLogGate({ clock, log }), processId: 'own' }
  const stop = new AbortController()
  fakeRenewals()
  // The round needs no other part of the service.
  await createPublishWorker(parts as Partial<Context> as Context, { ...clock, sleep: async () => stop.abort() }).run(
    stop.signal,
  )
  expect(isTaken).toBe(false)
  expect(await db.read.selectFrom('s3_bucket').select('publish_error').execute()).toEqual([
    { publish_error: 'INVALID_NAME' },
  ])
  await rm(folder, { recursive: true, force: true })
})
