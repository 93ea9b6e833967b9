import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { acquireLease, releaseLease } from '../workers/lease.ts'
import { createLoop, type Worker, type WorkerClock } from '../workers/worker.ts'
import { raiseAllCopies } from './copies.ts'
import { type Driving, driveDeal } from './drive-deal.ts'
import { makeAggregates } from './make-aggregates.ts'
import { makePieces, type PieceMaking } from './make-pieces.ts'
import { createPieceHashing } from './piece-hashing.ts'
import { placeDeals } from './place-deals.ts'
import { retireAggregates } from './retire.ts'
import type { DealRow } from './store.ts'
import { sweepTrees } from './sweep-trees.ts'

const leaseMs = 60_000
const dealsInOneRound = 400
/** Maximum number of concurrent deals per provider. */
const atOnce = 4
/** Time after which a round with a provider starts nothing new. */
const roundMs = 30_000
/** Interval of infrequent work. */
const sweepMs = 3_600_000

/** Makes pieces of new packs, and aggregates of pieces, on one replica at a time. */
export function createPieceWorker(context: Context, clock: WorkerClock): Worker {
  const hashing = createPieceHashing()
  const making: PieceMaking = { context, hashing, setAside: new Map() }
  let sweepAt = 0
  const worker = createLeasedWorker(context, clock, 'pieces', async (held) => {
    await makePieces(making, held)
    await makeAggregates(context, held)
    if (clock.now() < sweepAt) return
    await sweepTrees(context, held)
    await raiseAllCopies(context, held)
    sweepAt = clock.now() + sweepMs
  })
  return {
    name: worker.name,
    async run(signal) {
      await worker.run(signal)
      await hashing.close()
    },
  }
}

/**
 * Places deals, follows and challenges them, and ends those that are no longer needed. Each provider has its own
 * loop, so that a slow one does not block others. Each loop runs on one replica at a time.
 */
export function createDealWorkers(driving: Driving, clock: WorkerClock): Worker[] {
  const { context, providers } = driving
  const names = providers.map(({ name }) => name)
  return [
    createLeasedWorker(context, clock, 'deals', async (held) => {
      await placeDeals({ context, providers })
      await driveProvider(driving, undefined, held)
    }),
    createLeasedWorker(context, clock, 'retire', (held) => retireAggregates(context, providers, held)),
    ...names.map((name): Worker => {
      const worker = createLeasedWorker(
        context,
        clock,
        `deals/${name}`,
        (held) => driveProvider(driving, name, held),
        async () => (await findDue(driving, name, 1)).length > 0,
      )
      return {
        name: worker.name,
        async run(signal) {
          await worker.run(signal)
          providers.find((provider) => provider.name === name)?.close?.()
        },
      }
    }),
  ]
}

/** Takes the due steps with all providers, concurrently. */
export async function driveDue(driving: Driving, signal: AbortSignal): Promise<void> {
  const names = driving.providers.map(({ name }) => name)
  await Promise.all([undefined, ...names].map((name) => driveProvider(driving, name, signal)))
}

/**
 * Takes the due steps with one provider; undefined selects deals whose provider was removed from the configuration.
 */
async function driveProvider(driving: Driving, name: string | undefined, signal: AbortSignal): Promise<void> {
  const { context } = driving
  const { db, failures } = context
  const due = await findDue(driving, name, dealsInOneRound)
  if (due.length === 0) return
  const ids = [...new Set(due.map((deal) => deal.aggregate_id))]
  const rows = await db.read.selectFrom('aggregate').selectAll().where('id', 'in', ids).execute()
  const aggregates = new Map(rows.map((row) => [row.id, row]))
  const end = performance.now() + roundMs
  const workOff = async (): Promise<void> => {
    for (let deal = due.shift(); deal !== undefined && !signal.aborted; deal = due.shift()) {
      const aggregate = aggregates.get(deal.aggregate_id)
      if (aggregate === undefined) continue
      try {
        await driveDeal(driving, deal, aggregate, signal)
      } catch (error) {
        if (signal.aborted) return
        failures.failed('deals', error, 'failed to process a deal', { deal: deal.number })
      }
      if (performance.now() > end) return
    }
  }
  await Promise.all(Array.from({ length: atOnce }, workOff))
}

function findDue({ context, providers }: Driving, name: string | undefined, maxDeals: number): Promise<DealRow[]> {
  const names = providers.map((provider) => provider.name)
  return (
    context.db.read
      .selectFrom('deal')
      .selectAll()
      // A literal in the statement, because only then do the databases use the index of deals that count.
      .where(sql<boolean>`state in ('queued', 'offered', 'kept', 'proving')`)
      .$if(name !== undefined, (query) => query.where('provider', '=', name ?? ''))
      .$if(name === undefined && names.length > 0, (query) => query.where('provider', 'not in', names))
      .where('next_at', '<=', context.clock.now())
      .orderBy('next_at')
      .limit(maxDeals)
      .execute()
  )
}

/** A loop whose rounds run on one replica at a time; with `isDue`, it acquires the lease only when there is work. */
function createLeasedWorker(
  context: Context,
  clock: WorkerClock,
  name: string,
  work: (held: AbortSignal) => Promise<void>,
  isDue: () => Promise<boolean> = async () => true,
): Worker {
  const lease = { name, owner: context.processId, durationMs: leaseMs }
  const round = async (signal: AbortSignal): Promise<void> => {
    if (await isDue()) await withLease(context, lease, signal, work)
  }
  const loop = createLoop(name, context.config.deals.pollMs, clock, round, (error) =>
    context.failures.failed(name, error, 'failed to process pieces and deals', { worker: name }),
  )
  return {
    name,
    async run(signal) {
      await loop.run(signal)
      await releaseLease(context.db, lease)
    },
  }
}

/** Runs while the lease is held and renews it; the signal passed in fires when the lease is lost. */
async function withLease(
  context: Context,
  lease: { name: string; owner: string; durationMs: number },
  signal: AbortSignal,
  work: (held: AbortSignal) => Promise<void>,
): Promise<void> {
  const take = () => acquireLease(context.db, { ...lease, now: context.clock.now() })
  if ((await take()) === undefined) return
  const lost = new AbortController()
  const renewal = setInterval(() => {
    take().then(
      (held) => {
        if (held === undefined) lost.abort(new Error('another replica has the lease'))
      },
      (error: unknown) => lost.abort(error),
    )
  }, leaseMs / 4)
  try {
    await work(AbortSignal.any([signal, lost.signal]))
  } finally {
    clearInterval(renewal)
  }
}
