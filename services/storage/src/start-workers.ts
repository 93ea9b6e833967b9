import type { Context } from './context.ts'
import type { ObjectStore } from './objects/objects.ts'
import type { PackEvent } from './packs/packs.ts'
import { createPaymentWorker } from './payments/worker.ts'
import { createReconcileWorker } from './workers/reconcile.ts'
import { createRemovePacksWorker } from './workers/remove-packs.ts'
import { createScrubWorker } from './workers/scrub.ts'
import { systemClock, type Worker } from './workers/worker.ts'

/** Starts the loops in the background. Disposing ends them and waits for what is under way. */
export function startWorkers(
  context: Context,
  objects: ObjectStore,
  onEvent: (event: PackEvent) => void,
): AsyncDisposable {
  const { db, packs, config, processId, log } = context
  const clock = systemClock
  const workers: Worker[] = [
    createRemovePacksWorker({ db, objects, packs, clock, graceMs: config.packGraceMs, onEvent }),
  ]
  if (config.scrubBytesPerSecond > 0) {
    workers.push(
      createScrubWorker({ db, objects, clock, owner: processId, bytesPerSecond: config.scrubBytesPerSecond, onEvent }),
    )
  }
  for (const network of config.payments.networks) workers.push(createPaymentWorker(context, network, clock))
  if (config.payments.networks.length > 0) workers.push(createReconcileWorker(context, clock))
  const stop = new AbortController()
  const running = workers.map((worker) =>
    worker.run(stop.signal).catch((error: unknown) => log.error({ err: error, worker: worker.name }, 'a worker ended')),
  )
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await Promise.all(running)
    },
  }
}
