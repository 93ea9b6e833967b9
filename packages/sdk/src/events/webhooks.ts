import {
  type CreatedWebhook,
  createWebhook as createWebhookCall,
  type EventType,
  listWebhookDeliveries as listWebhookDeliveriesCall,
  listWebhooks as listWebhooksCall,
  removeWebhook as removeWebhookCall,
  replayWebhook as replayWebhookCall,
  testWebhook as testWebhookCall,
  updateWebhook as updateWebhookCall,
  type Webhook,
  type WebhookDelivery,
  type WebhookTestResult,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'

/** Settings of a webhook. */
export type WebhookSettings = {
  /** An https URL. */
  url: string
  /** Types of events to deliver. Defaults to all. */
  types?: readonly EventType[]
  /** Shown in lists. */
  description?: string
}

/**
 * Creates a webhook for events from now on. Only this result contains the secret. Requires the scopes `account` and
 * `files:read`.
 * @throws CairnError WEBHOOK_LIMIT, INVALID_WEBHOOK_URL, ADDRESS_NOT_ALLOWED, FORBIDDEN
 * @see {@link verifyWebhook} for the receiver
 */
export function createWebhook(
  client: Client,
  settings: WebhookSettings,
  options?: CallOptions,
): Promise<CreatedWebhook> {
  return call(client, createWebhookCall, { body: bodyOf(settings) }, options)
}

/** Programs without types pass nothing: the service says what is required. */
function bodyOf<S extends Partial<WebhookSettings>>(settings: S) {
  const { types, ...others } = settings ?? {}
  return { ...others, ...(types === undefined ? {} : { types: [...types] }) }
}

/** Lists the webhooks of the account, oldest first, without their secrets. */
export async function listWebhooks(client: Client, options?: CallOptions): Promise<Webhook[]> {
  return (await call(client, listWebhooksCall, {}, options)).webhooks
}

/**
 * Changes a webhook; omitted settings do not change. A webhook that is enabled again receives the events that were stored in the
 * meantime.
 * @throws CairnError WEBHOOK_NOT_FOUND, INVALID_WEBHOOK_URL, ADDRESS_NOT_ALLOWED
 */
export function updateWebhook(
  client: Client,
  id: string,
  settings: Partial<WebhookSettings> & { isEnabled?: boolean },
  options?: CallOptions,
): Promise<Webhook> {
  return call(client, updateWebhookCall, { params: { id }, body: bodyOf(settings) }, options)
}

/** Removes a webhook and its pending deliveries. @throws CairnError WEBHOOK_NOT_FOUND */
export async function removeWebhook(client: Client, id: string, options?: CallOptions): Promise<void> {
  await call(client, removeWebhookCall, { params: { id } }, options)
}

/** Longer than the service waits for the receiver, so that the result says that it is slow. */
const testTimeoutMs = 20_000

/** Sends one event of the type `webhook.test`, without retries. @throws CairnError WEBHOOK_NOT_FOUND */
export function testWebhook(client: Client, id: string, options?: CallOptions): Promise<WebhookTestResult> {
  const timeoutMs = Math.max(client.callTimeoutMs, testTimeoutMs)
  return call(client, testWebhookCall, { params: { id } }, { timeoutMs, ...options })
}

/**
 * Queues stored events for another delivery, with the same ids: up to 1,000 per call, as far as the queue of the webhook has
 * space.
 * @param range `until` is the cursor of the last event; defaults to the newest
 * @returns the number of queued events, and the cursor of the last one that was considered
 * @throws CairnError WEBHOOK_NOT_FOUND, INVALID_CURSOR
 */
export function replayWebhook(
  client: Client,
  id: string,
  range: { after: string; until?: string },
  options?: CallOptions,
): Promise<{ queued: number; cursor: string }> {
  return call(client, replayWebhookCall, { params: { id }, body: range }, options)
}

/** Lists pending and recent deliveries, newest event first. @throws CairnError WEBHOOK_NOT_FOUND */
export async function listWebhookDeliveries(
  client: Client,
  id: string,
  page: { limit?: number; before?: string } = {},
  options?: CallOptions,
): Promise<WebhookDelivery[]> {
  const { limit, before } = page
  const query = {
    ...(limit === undefined ? {} : { limit: String(limit) }),
    ...(before === undefined ? {} : { before }),
  }
  return (await call(client, listWebhookDeliveriesCall, { params: { id }, query }, options)).deliveries
}
