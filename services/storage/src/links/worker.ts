import type { Context } from '../context.ts'
import { createLoop, type Worker, type WorkerClock } from '../workers/worker.ts'
import { clearLinks } from './store.ts'

/** Pause between rounds. An expired link does not open meanwhile: only its sealed key stays this long. */
const intervalMs = 60_000

/** Returns the worker that deletes the keys of expired links, and the rows of old ones. Replicas may run it concurrently. */
export function createLinksWorker(context: Context, clock: WorkerClock): Worker {
  return createLoop(
    'links',
    intervalMs,
    clock,
    () => clearLinks(context),
    (error) => context.failures.failed('links', error, 'worker failed', { worker: 'links' }),
  )
}
