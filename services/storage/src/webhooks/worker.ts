import { randomUUID } from 'node:crypto'
import { isUpcoming } from '@cairn/service'
import type { Context } from '../context.ts'
import { createWakefulLoop, type Worker, type WorkerClock } from '../workers/worker.ts'
import {
  type DueWebhook,
  findDueWebhooks,
  measureQueue,
  pruneDeliveries,
  recordOutcome,
  releaseDelivery,
  takeDelivery,
} from './deliveries.ts'
import { createDeliverySlots } from './delivery-slots.ts'
import { queueNewEvents } from './queue-deliveries.ts'
import { sendMessage } from './send-message.ts'
import { openWebhookSecret } from './webhook-secret.ts'

/** Delays between rounds, in ms: while this process changes rows, and otherwise. */
const intervalMs = 500
const idleMs = 5000
/** Webhooks with due deliveries that are read per round. */
const maxDue = 1000
/** Deliveries of a webhook in one slot, and time after which it begins no other in it, in ms: then others get the slot. */
const deliveriesAtOnce = 50
const slotMs = 5000
/** Intervals of infrequent work. */
const measureMs = 10_000
const pruneMs = 600_000

/** Returns the worker that delivers events to webhooks. Replicas may run it concurrently: each delivery has one owner. */
export function createWebhooksWorker(context: Context, clock: WorkerClock): Worker {
  const { metrics, failures } = context
  const slots = createDeliverySlots()
  const running = new Set<Promise<void>>()
  let measureAt = 0
  let pruneAt = 0

  const start = (webhook: DueWebhook, signal: AbortSignal): void => {
    const release = slots.acquire(webhook)
    const { id } = webhook
    const done = deliverDue(context, id, signal)
      .catch((error: unknown) => failures.failed('webhooks', error, 'failed to deliver events', { webhook: id }))
      .finally(() => {
        running.delete(done)
        release()
        loop.wake()
      })
    running.add(done)
  }

  const round = async (signal: AbortSignal): Promise<void> => {
    await queueNewEvents(context, signal)
    if (!slots.isFull && !signal.aborted) {
      for (const webhook of slots.select(await findDueWebhooks(context, maxDue))) start(webhook, signal)
    }
    if (!isUpcoming(measureAt, clock.now(), measureMs)) {
      const { depth, oldestSeconds } = await measureQueue(context)
      metrics.webhookQueue.set(depth)
      metrics.webhookQueueAge.set(oldestSeconds)
      measureAt = clock.now() + measureMs
    }
    if (!isUpcoming(pruneAt, clock.now(), pruneMs)) {
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
      await Promise.all(running)
    },
  }
}

/** Delivers the due events of a webhook, one after the other. */
async function deliverDue(context: Context, webhookId: string, signal: AbortSignal): Promise<void> {
  const end = performance.now() + slotMs
  for (let count = 0; count < deliveriesAtOnce && performance.now() < end && !signal.aborted; count++) {
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
