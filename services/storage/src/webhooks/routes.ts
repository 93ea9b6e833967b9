import {
  type AccountEvent,
  CairnError,
  createWebhook,
  listWebhookDeliveries,
  listWebhooks,
  removeWebhook,
  replayWebhook,
  testWebhook,
  updateWebhook,
  type Webhook,
  type WebhookDelivery,
} from '@cairn/protocol'
import { uuidv7 } from '@cairn/service'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../caller.ts'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { checkUrl } from './check-url.ts'
import { type DeliveryRow, listDeliveries } from './deliveries.ts'
import { readTypes, replayEvents } from './queue-deliveries.ts'
import { sendMessage } from './send-message.ts'
import { changeWebhook, deleteWebhook, findWebhooks, insertWebhook, requireWebhook, type WebhookRow } from './store.ts'
import { openWebhookSecret } from './webhook-secret.ts'

/** Registers the calls about webhooks. */
export function registerWebhookRoutes(app: FastifyInstance, context: Context): void {
  const { config, clock } = context

  route(app, context, createWebhook, async ({ input: { body }, caller }) => {
    requireReading(caller)
    checkUrl(config, body.url)
    const { row, secret } = await insertWebhook(context, caller.address, body)
    return { ...toWebhook(row), secret }
  })

  route(app, context, listWebhooks, async ({ caller }) => ({
    webhooks: (await findWebhooks(context, caller.address)).map(toWebhook),
  }))

  route(app, context, updateWebhook, async ({ input: { params, body }, caller }) => {
    requireReading(caller)
    if (body.url !== undefined) checkUrl(config, body.url)
    return toWebhook(await changeWebhook(context, caller.address, params.id, body))
  })

  route(app, context, removeWebhook, async ({ input: { params }, caller }) => {
    await deleteWebhook(context, caller.address, params.id)
    return { id: params.id }
  })

  route(app, context, testWebhook, async ({ input: { params }, caller, signal }) => {
    const webhook = await requireWebhook(context, caller.address, params.id)
    const now = clock.now()
    const event: AccountEvent = {
      id: uuidv7(now),
      cursor: String(webhook.cursor),
      type: 'webhook.test',
      timestamp: new Date(now).toISOString(),
      data: { webhookId: webhook.id },
    }
    const target = {
      url: webhook.url,
      secret: openWebhookSecret(context, webhook),
      allowsPrivate: config.allowsPrivateWebhooks,
    }
    const { status, error } = await sendMessage(target, { id: event.id, body: JSON.stringify(event) }, now, signal)
    return { isDelivered: error === null, status, error }
  })

  route(app, context, replayWebhook, async ({ input: { params, body }, caller }) => {
    requireReading(caller)
    const webhook = await requireWebhook(context, caller.address, params.id)
    const until = body.until === undefined ? undefined : Number(body.until)
    return replayEvents(context, webhook, Number(body.after), until)
  })

  route(app, context, listWebhookDeliveries, async ({ input: { params, query }, caller }) => {
    const { id } = await requireWebhook(context, caller.address, params.id)
    const before = query.before === undefined ? undefined : Number(query.before)
    const rows = await listDeliveries(context, id, { before, limit: query.limit })
    return { deliveries: rows.map(toDelivery) }
  })
}

/** A webhook shows events about files, so a key that may not read files must not create or aim one. */
function requireReading({ scopes }: Caller): void {
  if (!scopes.includes('files:read')) throw new CairnError('FORBIDDEN', { details: { scope: 'files:read' } })
}

function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    types: readTypes(row),
    description: row.description,
    isEnabled: row.is_enabled === 1,
    disabledReason: row.disabled_reason,
    failingSince: row.failing_since,
    cursor: String(row.cursor),
    missedEvents: row.missed_events,
    createdAt: row.created_at,
  }
}

function toDelivery(row: DeliveryRow): WebhookDelivery {
  return {
    id: row.event_id,
    cursor: String(row.sequence),
    type: row.type,
    state: row.state,
    tries: row.tries,
    lastStatus: row.last_status,
    lastError: row.last_error,
    nextAt: row.state === 'pending' ? row.next_at : null,
    updatedAt: row.updated_at,
  }
}
