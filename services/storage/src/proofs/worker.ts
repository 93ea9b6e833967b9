import type { Context } from '../context.ts'
import { giveLease, takeLease } from '../workers/lease.ts'
import { createLoop, type Worker, type WorkerClock } from '../workers/worker.ts'
import { type Driving, driveDeal } from './drive-deal.ts'
import { makeAggregates } from './make-aggregates.ts'
import { makePieces } from './make-pieces.ts'
import { createPieceHashing } from './piece-hashing.ts'
import { placeDeals } from './place-deals.ts'
import { retireAggregates } from './retire.ts'
import { activeStates } from './store.ts'
import { sweepTrees } from './sweep-trees.ts'

const leaseMs = 60_000
const dealsInOneRound = 400
/** Deals worked on at once with one provider. */
const atOnce = 4

/** Makes pieces of new packs, and aggregates of pieces. One replica at a time does it. */
export function createPieceWorker(context: Context, clock: WorkerClock): Worker {
  const lease = { name: 'pieces', owner: context.processId, durationMs: leaseMs }
  const hashing = createPieceHashing()
  let swept = false
  const work = async (signal: AbortSignal): Promise<void> => {
    await withLease(context, lease, signal, async (held) => {
      if (!swept) await sweepTrees(context)
      swept = true
      await makePieces({ context, hashing }, held)
      await makeAggregates(context, held)
    })
  }
  const loop = createLoop(lease.name, context.config.deals.pollMs, clock, work, (error) =>
    context.log.error({ err: error }, 'pieces could not be made'),
  )
  return {
    name: lease.name,
    async run(signal) {
      await loop.run(signal)
      await hashing.close()
      await giveLease(context.db, lease)
    },
  }
}

/** Places deals, follows and challenges them. One replica at a time does it. */
export function createDealWorker(driving: Driving, clock: WorkerClock): Worker {
  const { context, providers } = driving
  const lease = { name: 'deals', owner: context.processId, durationMs: leaseMs }
  const work = async (signal: AbortSignal): Promise<void> => {
    await withLease(context, lease, signal, async (held) => {
      await placeDeals({ context, providers })
      await driveDue(driving, held)
      await retireAggregates(context, providers, held)
    })
  }
  const loop = createLoop(lease.name, context.config.deals.pollMs, clock, work, (error) =>
    context.log.error({ err: error }, 'deals could not be looked after'),
  )
  return {
    name: lease.name,
    async run(signal) {
      await loop.run(signal)
      for (const provider of providers) provider.close?.()
      await giveLease(context.db, lease)
    },
  }
}

/** Does what is due, with all providers side by side: one that is slow holds up no other. */
export async function driveDue(driving: Driving, signal: AbortSignal): Promise<void> {
  const { context } = driving
  const { db, clock, log } = context
  const due = await db.read
    .selectFrom('deal')
    .selectAll()
    .where('state', 'in', activeStates)
    .where('next_at', '<=', clock.now())
    .orderBy('next_at')
    .limit(dealsInOneRound)
    .execute()
  const ids = [...new Set(due.map((deal) => deal.aggregate_id))]
  if (ids.length === 0) return
  const rows = await db.read.selectFrom('aggregate').selectAll().where('id', 'in', ids).execute()
  const aggregates = new Map(rows.map((row) => [row.id, row]))
  const queues = [...Map.groupBy(due, ({ provider }) => provider).values()]
  const workOff = async (queue: typeof due): Promise<void> => {
    for (let deal = queue.shift(); deal !== undefined && !signal.aborted; deal = queue.shift()) {
      const aggregate = aggregates.get(deal.aggregate_id)
      if (aggregate === undefined) continue
      try {
        await driveDeal(driving, deal, aggregate, signal)
      } catch (error) {
        if (!signal.aborted) log.error({ err: error, deal: deal.number }, 'a deal could not be looked after')
      }
    }
  }
  await Promise.all(queues.flatMap((queue) => Array.from({ length: atOnce }, () => workOff(queue))))
}

/** Works while the lease is held, and renews it meanwhile; what it is given fires when the lease is lost. */
async function withLease(
  context: Context,
  lease: { name: string; owner: string; durationMs: number },
  signal: AbortSignal,
  work: (held: AbortSignal) => Promise<void>,
): Promise<void> {
  const take = () => takeLease(context.db, { ...lease, now: context.clock.now() })
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
