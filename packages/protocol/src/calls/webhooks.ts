import * as v from 'valibot'
import { authErrors, defineCall } from '../call.ts'
import { callTimeoutMs, maxJsonBodyBytes } from '../limits.ts'
import { eventTypes } from '../schemas/events.ts'
import { labelText } from '../schemas/label-text.ts'

const maxUrlCharacters = 2048
const maxDescriptionCharacters = 200
const maxDeliveryRows = 200
const defaultDeliveryRows = 50

const url = v.pipe(
  v.string(),
  v.maxLength(maxUrlCharacters),
  v.check((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be an https URL'),
)
/** Types of events to deliver; an empty list stands for all. */
const types = v.pipe(v.array(v.picklist(eventTypes)), v.maxLength(eventTypes.length))
const description = labelText(maxDescriptionCharacters)

const webhook = v.object({
  id: v.string(),
  url: v.string(),
  /** Types of delivered events; empty for all. */
  types: v.array(v.string()),
  description: v.string(),
  isEnabled: v.boolean(),
  /** Why the service disabled it; null while it is enabled or if its owner disabled it. */
  disabledReason: v.nullable(v.string()),
  /** Since when every delivery has failed, in ms since 1970; null after a success. */
  failingSince: v.nullable(v.number()),
  /** Cursor of the last event that was queued or skipped. */
  cursor: v.string(),
  /** Number of events that expired before they could be queued. */
  missedEvents: v.number(),
  createdAt: v.number(),
})
/** A webhook, without its secret. */
export type Webhook = v.InferOutput<typeof webhook>

const createdWebhook = v.object({
  ...webhook.entries,
  /** Verifies deliveries. Returned only once. */
  secret: v.string(),
})
/** A new webhook with its secret. */
export type CreatedWebhook = v.InferOutput<typeof createdWebhook>

const delivery = v.object({
  /** The `webhook-id` of the delivery: the id of its event. */
  id: v.string(),
  cursor: v.string(),
  type: v.string(),
  state: v.picklist(['pending', 'delivered', 'failed']),
  tries: v.number(),
  /** HTTP status of the last response; null if none arrived. */
  lastStatus: v.nullable(v.number()),
  /** Why the last attempt failed. */
  lastError: v.nullable(v.string()),
  /** Time of the next attempt in ms since 1970; null for finished deliveries. */
  nextAt: v.nullable(v.number()),
  updatedAt: v.number(),
})
/** One event on its way to a webhook. */
export type WebhookDelivery = v.InferOutput<typeof delivery>

const testResult = v.object({
  isDelivered: v.boolean(),
  status: v.nullable(v.number()),
  error: v.nullable(v.string()),
})
/** Result of a test delivery. */
export type WebhookTestResult = v.InferOutput<typeof testResult>

const params = v.object({ id: v.pipe(v.string(), v.uuid()) })
const common = {
  host: 'api',
  tag: 'Events',
  auth: 'apiKey',
  scope: 'account',
  dialect: 'api',
} as const
const limits = { bodyBytes: maxJsonBodyBytes, timeoutMs: callTimeoutMs, perMinute: 60 } as const
const targetErrors = [...authErrors, 'ADDRESS_NOT_ALLOWED', 'INVALID_WEBHOOK_URL'] as const

/** `POST /api/webhooks`: creates a webhook. */
export const createWebhook = defineCall({
  ...common,
  id: 'createWebhook',
  method: 'POST',
  path: '/api/webhooks',
  summary: 'Create a webhook',
  description:
    'Delivers new events of the account to an https URL, signed as Standard Webhooks describes. The response is the only one that contains the secret. Also requires the scope `files:read`. The webhook belongs to the account and stays when the API key is revoked.',
  body: {
    kind: 'json',
    schema: v.object({ url, types: v.optional(types, []), description: v.optional(description, '') }),
  },
  response: { kind: 'json', schema: createdWebhook },
  errors: [...targetErrors, 'INVALID_LABEL', 'WEBHOOK_LIMIT'],
  limits,
  idempotent: false,
})

/** `GET /api/webhooks`: lists the webhooks of the account. */
export const listWebhooks = defineCall({
  ...common,
  id: 'listWebhooks',
  method: 'GET',
  path: '/api/webhooks',
  summary: 'List webhooks',
  response: { kind: 'json', schema: v.object({ webhooks: v.array(webhook) }) },
  errors: [...authErrors],
  limits: { timeoutMs: callTimeoutMs, perMinute: 600 },
  idempotent: true,
})

/** `PATCH /api/webhooks/{id}`: changes a webhook. */
export const updateWebhook = defineCall({
  ...common,
  id: 'updateWebhook',
  method: 'PATCH',
  path: '/api/webhooks/{id}',
  summary: 'Change, disable or enable a webhook',
  description:
    'Omitted fields do not change. A webhook that is enabled again receives the events that were stored in the meantime.',
  params,
  body: {
    kind: 'json',
    schema: v.object({
      url: v.optional(url),
      types: v.optional(types),
      description: v.optional(description),
      isEnabled: v.optional(v.boolean()),
    }),
  },
  response: { kind: 'json', schema: webhook },
  errors: [...targetErrors, 'INVALID_LABEL', 'WEBHOOK_NOT_FOUND'],
  limits,
  idempotent: true,
})

/** `DELETE /api/webhooks/{id}`: removes a webhook. */
export const removeWebhook = defineCall({
  ...common,
  id: 'removeWebhook',
  method: 'DELETE',
  path: '/api/webhooks/{id}',
  summary: 'Remove a webhook',
  description: 'Also removes its pending deliveries.',
  params,
  response: { kind: 'json', schema: v.object({ id: v.string() }) },
  errors: [...authErrors, 'WEBHOOK_NOT_FOUND'],
  limits,
  idempotent: true,
})

/** `POST /api/webhooks/{id}/test`: delivers a test event and returns the result. */
export const testWebhook = defineCall({
  ...common,
  id: 'testWebhook',
  method: 'POST',
  path: '/api/webhooks/{id}/test',
  summary: 'Send a test event to a webhook',
  description: 'Sends one event of the type `webhook.test` and waits for the response. It is not repeated.',
  params,
  response: { kind: 'json', schema: testResult },
  errors: [...authErrors, 'WEBHOOK_NOT_FOUND'],
  limits: { timeoutMs: 2 * callTimeoutMs, perMinute: 30 },
  idempotent: false,
})

/** `POST /api/webhooks/{id}/replay`: delivers stored events again. */
export const replayWebhook = defineCall({
  ...common,
  id: 'replayWebhook',
  method: 'POST',
  path: '/api/webhooks/{id}/replay',
  summary: 'Deliver stored events again',
  description:
    'Queues up to 1,000 stored events after a cursor, with the same ids, as far as the queue of the webhook has space. If `cursor` of the response is less than `until`, call again with it as `after`; if it is equal to `after`, the queue is full: call again after deliveries.',
  params,
  body: {
    kind: 'json',
    schema: v.object({
      /** Cursor before the first event to deliver. */
      after: v.pipe(v.string(), v.regex(/^\d{1,16}$/)),
      /** Cursor of the last event to deliver. Defaults to the newest. */
      until: v.optional(v.pipe(v.string(), v.regex(/^\d{1,16}$/))),
    }),
  },
  response: {
    kind: 'json',
    schema: v.object({
      /** Number of queued deliveries. */
      queued: v.number(),
      /** Cursor of the last event that was considered. */
      cursor: v.string(),
    }),
  },
  errors: [...authErrors, 'WEBHOOK_NOT_FOUND', 'INVALID_CURSOR'],
  limits: { ...limits, perMinute: 30 },
  idempotent: true,
})

/** `GET /api/webhooks/{id}/deliveries`: the newest deliveries. */
export const listWebhookDeliveries = defineCall({
  ...common,
  id: 'listWebhookDeliveries',
  method: 'GET',
  path: '/api/webhooks/{id}/deliveries',
  summary: 'List deliveries of a webhook',
  description: 'Returns pending and recent deliveries, newest event first.',
  params,
  query: v.object({
    limit: v.optional(
      v.pipe(v.string(), v.regex(/^\d{1,3}$/), v.transform(Number), v.minValue(1), v.maxValue(maxDeliveryRows)),
      String(defaultDeliveryRows),
    ),
    /** Only deliveries of events before this cursor. */
    before: v.optional(v.pipe(v.string(), v.regex(/^\d{1,16}$/))),
  }),
  response: { kind: 'json', schema: v.object({ deliveries: v.array(delivery) }) },
  errors: [...authErrors, 'WEBHOOK_NOT_FOUND'],
  limits: { timeoutMs: callTimeoutMs, perMinute: 600 },
  idempotent: true,
})
