import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { giveLease, takeLease } from '../workers/lease.ts'
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
/** Deals worked on at once with one provider. */
const atOnce = 4
/** A round with a provider begins nothing new after so long. */
const roundMs = 30_000
/** How often there is a look for what needs none often. */
const sweepMs = 3_600_000

/** Makes pieces of new packs, and aggregates of pieces. One replica at a time does it. */
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
 * Places deals, follows and challenges them, and ends those that nobody needs. Each provider has a loop of its own: one that
 * is slow holds up no other. One replica at a time does each of it.
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

/** Does what is due with all providers, side by side. */
export async function driveDue(driving: Driving, signal: AbortSignal): Promise<void> {
  const names = driving.providers.map(({ name }) => name)
  await Promise.all([undefined, ...names].map((name) => driveProvider(driving, name, signal)))
}

/** Does what is due with one provider; undefined for those that the operator works with no more. */
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
        failures.failed('deals', error, 'a deal could not be looked after', { deal: deal.number })
      }
      if (performance.now() > end) return
    }
  }
  await Promise.all(Array.from({ length: atOnce }, workOff))
}

function findDue({ context, providers }: Driving, name: string | undefined, most: number): Promise<DealRow[]> {
  const names = providers.map((provider) => provider.name)
  return (
    context.db.read
      .selectFrom('deal')
      .selectAll()
      // Said in the statement itself: only so do the databases use the index of deals that count.
      .where(sql<boolean>`state in ('queued', 'offered', 'kept', 'proving')`)
      .$if(name !== undefined, (query) => query.where('provider', '=', name ?? ''))
      .$if(name === undefined && names.length > 0, (query) => query.where('provider', 'not in', names))
      .where('next_at', '<=', context.clock.now())
      .orderBy('next_at')
      .limit(most)
      .execute()
  )
}

/** A loop whose rounds only one replica makes at a time; where it is told what is due, it asks for the right only then. */
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
    context.failures.failed(name, error, 'pieces and deals could not be looked after', { worker: name }),
  )
  return {
    name,
    async run(signal) {
      await loop.run(signal)
      await giveLease(context.db, lease)
    },
  }
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
