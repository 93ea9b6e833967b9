import { addDiskGauges } from '@cairn/service'
import { Gauge } from 'prom-client'
import type { Context } from '../context.ts'
import { isInProgress } from '../db/is-in-progress.ts'
import { createLeasedWorker } from './leased-worker.ts'
import type { Worker, WorkerClock } from './worker.ts'

const name = 'measure'
const intervalMs = 60_000
/** Longer than the pause between rounds, so that one replica measures until it stops. */
const leaseMs = 150_000

type Parts = Pick<Context, 'config' | 'db' | 'clock' | 'metrics' | 'processId' | 'failures'>

/** Measures the store for the metrics, on one replica. */
export function createMeasureWorker(context: Parts, clock: WorkerClock): Worker {
  return createLeasedWorker(
    context,
    { name, intervalMs, leaseMs },
    clock,
    async (hold) => {
      const isHeld = await hold(() => measureStore(context))
      // Otherwise old values would be added to those of the replica that measures now.
      if (!isHeld) for (const gauge of Object.values(context.metrics.store)) gauge.reset()
    },
    (error) => context.failures.failed(name, error, 'worker failed', { worker: name }),
  )
}

/** Reads the sizes and states of all rows into the gauges. */
export async function measureStore({
  config,
  db,
  metrics: { store },
}: Pick<Context, 'config' | 'db' | 'metrics'>): Promise<void> {
  const { read } = db
  const accounts = await read
    .selectFrom('account')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.count<number>('blocked_at').as('blocked')])
    .executeTakeFirstOrThrow()
  const packs = await read
    .selectFrom('pack')
    .select(({ fn }) => [
      'state',
      // A pack in a merged one has no object of its own.
      fn.countAll<number>().filterWhere('merged_id', 'is', null).as('count'),
      fn.sum<number | null>('size_bytes').filterWhere('merged_id', 'is', null).as('bytes'),
      fn.sum<number>('block_count').as('blocks'),
      fn.count<number>('missing_at').as('missing'),
      // Missing packs are not verified until they return.
      fn.min('scrubbed_at').filterWhere('missing_at', 'is', null).as('scrubbedAt'),
    ])
    .groupBy('state')
    .execute()
  const uploads = await read
    .selectFrom('resumable_upload')
    .leftJoin('resumable_import as progress', 'progress.upload_id', 'resumable_upload.id')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.sum<number | null>(fn.coalesce('progress.offset_bytes', 'resumable_upload.offset_bytes')).as('bytes'),
    ])
    .where(isInProgress)
    .executeTakeFirstOrThrow()
  const deals = await read
    .selectFrom('deal')
    .select(({ fn }) => ['state', 'provider', fn.countAll<number>().as('count')])
    .groupBy(['state', 'provider'])
    .execute()
  const payments = await read
    .selectFrom('payment')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute()
  const leases = await read.selectFrom('lease').select(['name', 'expires_at']).execute()

  for (const gauge of Object.values(store)) gauge.reset()
  store.accounts.set(Number(accounts.count))
  store.blockedAccounts.set(Number(accounts.blocked))
  for (const { state, count, bytes, blocks } of packs) {
    store.packs.set({ state }, Number(count))
    store.packBytes.set({ state }, Number(bytes ?? 0))
    store.blocks.set({ state }, Number(blocks))
  }
  store.missingPacks.set(packs.reduce((sum, { missing }) => sum + Number(missing), 0))
  const scrubbed = packs.find(({ state }) => state === 'live')?.scrubbedAt
  // Without scrubbing, the time is meaningless, and its alert would never end.
  if (typeof scrubbed === 'number' && config.scrubBytesPerSecond > 0) store.oldestScrub.set(scrubbed / 1000)
  store.unfinishedUploads.set(Number(uploads.count))
  store.unfinishedBytes.set(Number(uploads.bytes ?? 0))
  for (const { state, provider, count } of deals) store.deals.set({ state, provider }, Number(count))
  for (const { state, count } of payments) store.payments.set({ state }, Number(count))
  for (const { name, expires_at } of leases) store.leases.set({ name }, expires_at / 1000)
}

/** Measures, when the metrics are read, the disks of this machine and its connections to the database. */
export function watchMachine(context: Pick<Context, 'config' | 'db' | 'metrics' | 'failures'>): void {
  const { config, db } = context
  const folders = { home: config.home, ...(config.s3 === undefined ? { packs: config.packFolder } : {}) }
  addDiskGauges(context, folders)
  if (db.connections === undefined) return
  const { connections } = db
  new Gauge({
    name: 'cairn_database_connections',
    help: 'Connections of this process to PostgreSQL: used or idle; waiting counts queries that wait for one',
    labelNames: ['state'],
    registers: [context.metrics.registry],
    collect() {
      for (const [state, count] of Object.entries(connections())) this.set({ state }, count)
    },
  })
}
