import type { Context } from '../context.ts'
import { releaseLease } from '../workers/lease.ts'
import { withLease } from '../workers/with-lease.ts'
import { createLoop, type Worker, type WorkerClock } from '../workers/worker.ts'
import { reconcile } from './reconcile.ts'

const dayMs = 86_400_000
const checkEveryMs = 600_000
/** Renewed while the comparison runs, so that another replica repeats one that was cut off within minutes. */
const leaseMs = 60_000

/** Compares the books once a day, on one replica. */
export function createReconcileWorker(context: Context, clock: WorkerClock): Worker {
  const lease = { name: 'reconcile', owner: context.processId, durationMs: leaseMs }
  const work = async (signal: AbortSignal): Promise<void> => {
    const now = context.clock.now()
    const last = await context.db.read
      .selectFrom('report')
      .select(({ fn }) => fn.max('created_at').as('at'))
      .where('kind', '=', 'books')
      // One from the future is of a clock that was ahead.
      .where('created_at', '<=', now)
      .executeTakeFirst()
    if (now - (last?.at ?? 0) < dayMs) return
    try {
      await withLease(context, lease, signal, async (held) => {
        await reconcile(context, held)
      })
    } finally {
      await releaseLease(context.db, lease)
    }
  }
  return createLoop('reconcile', checkEveryMs, clock, work, (error) =>
    context.failures.failed('reconcile', error, 'failed to reconcile accounts'),
  )
}
