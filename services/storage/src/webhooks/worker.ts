import { randomUUID } from 'node:crypto'
import type { Context } from '../context.ts'
import { createWakefulLoop, type Worker, type WorkerClock } from '../workers/worker.ts'
import {
  findDueWebhooks,
  measureQueue,
  pruneDeliveries,
  recordOutcome,
  releaseDelivery,
  takeDelivery,
} from './deliveries.ts'
import { queueNewEvents } from './queue-deliveries.ts'
import { sendMessage } from './send-message.ts'
import { openWebhookSecret } from './webhook-secret.ts'

/** Delays between rounds, in ms: while this process changes rows, and otherwise. */
const intervalMs = 500
const idleMs = 5000
/** Concurrent deliveries per process, and per webhook in it. */
const maxRunning = 16
const maxRunningPerWebhook = 2
/** Deliveries of one webhook before others get their turn. */
const deliveriesAtOnce = 50
/** Intervals of infrequent work. */
const measureMs = 10_000
const pruneMs = 600_000

/** Returns the worker that delivers events to webhooks. Replicas may run it concurrently: each delivery has one owner. */
export function createWebhooksWorker(context: Context, clock: WorkerClock): Worker {
  const { metrics, failures } = context
  /** Webhooks of the deliveries in progress. */
  const running = new Map<Promise<void>, string>()
  let measureAt = 0
  let pruneAt = 0

  const listBusy = (): string[] => {
    const counts = new Map<string, number>()
    for (const id of running.values()) counts.set(id, (counts.get(id) ?? 0) + 1)
    return [...counts].flatMap(([id, count]) => (count >= maxRunningPerWebhook ? [id] : []))
  }

  const start = (webhookId: string, signal: AbortSignal): void => {
    const done = deliverDue(context, webhookId, signal)
      .catch((error: unknown) => failures.failed('webhooks', error, 'failed to deliver events', { webhook: webhookId }))
      .finally(() => {
        running.delete(done)
        loop.wake()
      })
    running.set(done, webhookId)
  }

  const round = async (signal: AbortSignal): Promise<void> => {
    await queueNewEvents(context, signal)
    if (running.size < maxRunning && !signal.aborted) {
      for (const id of await findDueWebhooks(context, listBusy(), maxRunning - running.size)) start(id, signal)
    }
    if (clock.now() >= measureAt) {
      const { depth, oldestSeconds } = await measureQueue(context)
      metrics.webhookQueue.set(depth)
      metrics.webhookQueueAge.set(oldestSeconds)
      measureAt = clock.now() + measureMs
    }
    if (clock.now() >= pruneAt) {
      await pruneDeliveries(context)
      pruneAt = clock.now() + pruneMs
    }
  }

  const loop = createWakefulLoop('webhooks', { db: context.db, intervalMs, idleMs }, clock, round, (error) =>
    failures.failed('webhooks', error, 'worker failed', { worker: 'webhooks' }),
  )
  return {
    name: 'webhooks',
    async run(signal) {
      await loop.run(signal)
      await Promise.all(running.keys())
    },
  }
}

/** Delivers the due events of a webhook, one after the other. */
async function deliverDue(context: Context, webhookId: string, signal: AbortSignal): Promise<void> {
  for (let count = 0; count < deliveriesAtOnce && !signal.aborted; count++) {
    const taken = await takeDelivery(context, webhookId, randomUUID())
    if (taken === undefined) return
    const { delivery, webhook } = taken
    try {
      const target = {
        url: webhook.url,
        secret: openWebhookSecret(context, webhook),
        allowsPrivate: context.config.allowsPrivateWebhooks,
      }
      const message = { id: delivery.event_id, body: delivery.body }
      const outcome = await sendMessage(target, message, context.clock.now(), signal)
      await recordOutcome(context, taken, outcome)
    } catch (error) {
      // An attempt that is cut off by a shutdown does not count. Any other failure is not the receiver's: its lease expires.
      if (!signal.aborted) throw error
      await releaseDelivery(context, delivery)
    }
  }
}
