import type { Context } from '../context.ts'
import { createLoop, type Worker, type WorkerClock } from '../workers/worker.ts'
import { clearUploadLinks } from './store.ts'

/** Pause between rounds. */
const intervalMs = 3_600_000

/** Returns the worker that deletes the rows of upload links that ended long ago. Replicas may run it concurrently. */
export function createUploadLinksWorker(context: Context, clock: WorkerClock): Worker {
  return createLoop(
    'upload-links',
    intervalMs,
    clock,
    () => clearUploadLinks(context),
    (error) => context.failures.failed('upload-links', error, 'worker failed', { worker: 'upload-links' }),
  )
}
