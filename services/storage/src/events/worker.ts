import { isUpcoming } from '@cairn/service'
import type { Context } from '../context.ts'
import { releaseAfter } from '../workers/leased-worker.ts'
import { withLease } from '../workers/with-lease.ts'
import { createWakefulLoop, type Worker, type WorkerClock } from '../workers/worker.ts'
import { spreadAggregateEvents } from './aggregate-events.ts'
import { pruneEvents } from './prune-events.ts'

/** Delays between rounds, in ms: while this process changes rows, and otherwise. */
const intervalMs = 1000
const idleMs = 5000
const leaseMs = 60_000
/** Interval of deletions. */
const pruneMs = 600_000

/**
 * Returns the worker that records events of aggregates for their accounts, and deletes expired events on one replica at a
 * time.
 */
export function createEventsWorker(context: Context, clock: WorkerClock): Worker {
  const { db, processId: owner, failures } = context
  const lease = { name: 'events', owner, durationMs: leaseMs }
  let pruneAt = 0
  const round = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && (await spreadAggregateEvents(context))) {}
    if (isUpcoming(pruneAt, clock.now(), pruneMs)) return
    pruneAt = clock.now() + pruneMs
    await withLease(context, lease, signal, async (held) => {
      await pruneEvents(context, held)
    })
  }
  const loop = createWakefulLoop('events', { db, intervalMs, idleMs }, clock, round, (error) =>
    failures.failed('events', error, 'worker failed', { worker: 'events' }),
  )
  return releaseAfter(loop, context, lease)
}
