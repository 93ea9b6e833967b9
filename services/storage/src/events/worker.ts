import type { Context } from '../context.ts'
import { acquireLease, releaseLease } from '../workers/lease.ts'
import { createLoop, type Worker, type WorkerClock } from '../workers/worker.ts'
import { spreadAggregateEvents } from './aggregate-events.ts'
import { pruneEvents } from './prune-events.ts'

const intervalMs = 1000
const leaseName = 'events'
/** Interval of deletions. */
const pruneMs = 600_000

/**
 * Returns the worker that records events of aggregates for their accounts, and deletes expired events on one replica at a
 * time.
 */
export function createEventsWorker(context: Context, clock: WorkerClock): Worker {
  const { db, processId: owner, failures } = context
  let pruneAt = 0
  const round = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && (await spreadAggregateEvents(context))) {}
    if (clock.now() < pruneAt) return
    pruneAt = clock.now() + pruneMs
    const lease = await acquireLease(db, { name: leaseName, owner, now: clock.now(), durationMs: pruneMs })
    if (lease !== undefined) await pruneEvents(context, signal)
  }
  const loop = createLoop('events', intervalMs, clock, round, (error) =>
    failures.failed('events', error, 'worker failed', { worker: 'events' }),
  )
  return {
    name: 'events',
    async run(signal) {
      await loop.run(signal)
      await releaseLease(db, { name: leaseName, owner })
    },
  }
}
