import type { Context } from '../context.ts'
import { acquireLease, releaseLease } from '../workers/lease.ts'
import { createLoop, type Worker, type WorkerClock } from '../workers/worker.ts'
import { reconcile } from './reconcile.ts'

const dayMs = 86_400_000
const checkEveryMs = 600_000
const leaseMs = 3_600_000

/** Compares the books once a day, on one replica. */
export function createReconcileWorker(context: Context, clock: WorkerClock): Worker {
  const lease = { name: 'reconcile', owner: context.processId }
  const work = async (signal: AbortSignal): Promise<void> => {
    const now = context.clock.now()
    const last = await context.db.read
      .selectFrom('report')
      .select(({ fn }) => fn.max('created_at').as('at'))
      .where('kind', '=', 'books')
      .executeTakeFirst()
    if (now - (last?.at ?? 0) < dayMs) return
    if ((await acquireLease(context.db, { ...lease, now, durationMs: leaseMs })) === undefined) return
    try {
      await reconcile(context, signal)
    } finally {
      await releaseLease(context.db, lease)
    }
  }
  return createLoop('reconcile', checkEveryMs, clock, work, (error) =>
    context.failures.failed('reconcile', error, 'failed to reconcile accounts'),
  )
}
