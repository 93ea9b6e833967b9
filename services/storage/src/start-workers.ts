import type { NetworkProfile } from '@cairn/protocol'
import { probeDependencies } from '@cairn/service'
import type { ObjectStore } from '@cairn/service/objects'
import type { Context } from './context.ts'
import { createTimesWorker } from './correct-times.ts'
import { createNonceSource } from './deals/deals.ts'
import { createEgressWorker } from './egress/egress.ts'
import { createEventsWorker } from './events/events.ts'
import { fronts } from './fronts.ts'
import { createHandoverWorker } from './handover/handover.ts'
import { createIpniWorker } from './ipni/ipni.ts'
import { createReservationWorker, hasUploadsInProgress } from './ledger/ledger.ts'
import { createLinksWorker } from './links/links.ts'
import type { OpenDenylist } from './moderation/moderation.ts'
import { createNamesWorker } from './names/worker.ts'
import { createScrubWorker } from './packs/checking/scrub.ts'
import { createMergeWorker, type PackEvent } from './packs/packs.ts'
import { createRemovePacksWorker } from './packs/removal/remove-packs.ts'
import { createRemovalWatch } from './packs/removal/watch-removals.ts'
import { openHead } from './payments/payments.ts'
import { createPrices } from './payments/prices.ts'
import { createReconcileWorker } from './payments/reconcile-worker.ts'
import { createPaymentWorker } from './payments/worker.ts'
import { createPinsWorker } from './pins/worker.ts'
import { createPipelineWorkers } from './proofs/worker.ts'
import type { Provider } from './providers/providers.ts'
import { createResumableWorker } from './resumable/resumable.ts'
import { createIndexWorker } from './search/search.ts'
import { createUploadLinksWorker } from './upload-links/upload-links.ts'
import { createWebhooksWorker } from './webhooks/webhooks.ts'
import { createMeasureWorker } from './workers/measure-store.ts'
import { systemClock, type Worker } from './workers/worker.ts'

/** Dependencies of the workers. */
export type WorkerParts = {
  context: Context
  denials: OpenDenylist
  objects: ObjectStore
  providers: readonly Provider[]
  profile: NetworkProfile
  /** Base URL that providers fetch from. */
  pullUrl: string
  onEvent: (event: PackEvent) => void
}

/** Starts the background workers. Disposing stops them and waits for work in progress. */
export function startWorkers({
  context,
  denials,
  objects,
  providers,
  profile,
  pullUrl,
  onEvent,
}: WorkerParts): AsyncDisposable {
  const { db, packs, config, processId, log, dependencies } = context
  const clock = systemClock
  const workers: Worker[] = [
    createRemovePacksWorker({ db, objects, packs, clock, graceMs: config.packGraceMs, onEvent }),
    createNamesWorker(context, clock),
    createResumableWorker(context, clock),
    createPinsWorker(context, clock),
    createEventsWorker(context, clock),
    createEgressWorker(context, clock),
    createMeasureWorker(context, clock),
    createReservationWorker(context, clock),
    createWebhooksWorker(context, clock),
    createLinksWorker(context, clock),
    createUploadLinksWorker(context, clock),
    createIndexWorker(context, clock),
    createTimesWorker(context, clock),
    ...denials.workers(clock),
    ...fronts.flatMap((front) => front.createWorkers(context, clock)),
  ]
  if (config.ipni.indexers.length > 0) workers.push(createIpniWorker(context, profile, clock))
  if (config.kubo !== undefined) workers.push(createHandoverWorker(context, config.kubo, clock))
  // A SQLite database belongs to one process, which clears its own caches.
  if (db.kind === 'postgres') {
    const onError = (error: unknown) => log.warn({ err: error }, 'failed to check for removed packs')
    workers.push(createRemovalWatch({ db, packs, clock, onError }))
  }
  if (config.merging !== undefined) {
    const isBusy = () => hasUploadsInProgress({ db, clock })
    const { packGraceMs: graceMs, merging: settings } = config
    workers.push(createMergeWorker({ db, objects, packs, clock, owner: processId, settings, graceMs, isBusy, onEvent }))
  }
  if (config.scrubBytesPerSecond > 0) {
    workers.push(
      createScrubWorker({ db, objects, clock, owner: processId, bytesPerSecond: config.scrubBytesPerSecond, onEvent }),
    )
  }
  for (const network of config.payments.networks) workers.push(createPaymentWorker(context, network, clock))
  if (config.payments.networks.length > 0) workers.push(createReconcileWorker(context, clock))
  if (providers.length > 0) {
    const nonces = createNonceSource(openHead(config.payments), (error) =>
      context.failures.failed('nonces', error, 'failed to read the newest block, using random nonces'),
    )
    workers.push(...createPipelineWorkers({ context, providers, pullUrl, nonces }, clock))
  }
  const prices = createPrices(context, config.payments.prices)
  const probes = probeDependencies(
    [
      ...providers.map((provider) => ({
        dependency: dependencies.add({ kind: 'provider', name: provider.name }),
        probe: (signal: AbortSignal) => provider.ping({ signal }),
      })),
      ...config.payments.prices.map(({ symbol }) => ({
        dependency: dependencies.add({ kind: 'feed', name: symbol }),
        probe: () => prices.getTicker(symbol),
      })),
    ],
    context.clock,
  )
  const stop = new AbortController()
  const report = (worker: string, error: unknown): void => {
    // At the end of the service, only the release of a lease can fail. It expires by itself.
    if (stop.signal.aborted) context.failures.failed('release-lease', error, 'failed to release a lease', { worker })
    else log.error({ err: error, worker }, 'worker stopped')
  }
  const running = workers.map((worker) => worker.run(stop.signal).catch((error: unknown) => report(worker.name, error)))
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await Promise.all([...running, probes[Symbol.asyncDispose]()])
    },
  }
}
