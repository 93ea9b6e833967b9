import { CairnError, type EventType, latestTimeMs, type Reason } from '@cairn/protocol'
import { uuidv7 } from '@cairn/service'
import type { Kysely, Updateable } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema, WebhookTable } from '../db/schema.ts'
import { recordEvents } from '../events/events.ts'
import { createWebhookSecret } from './webhook-secret.ts'

export type WebhookRow = WebhookTable

/** The settings of a user. An empty list of types stands for all types. */
export type WebhookSettings = { url: string; types: readonly EventType[]; description: string }

/** A change; omitted settings stay. */
export type WebhookChange = {
  [Name in keyof WebhookSettings]?: WebhookSettings[Name] | undefined
} & { isEnabled?: boolean | undefined }

/** Returns the host of a webhook. Paths and queries of receivers can contain secrets, so events name only the host. */
export const hostOf = (url: string): string => new URL(url).host

/** Creates a webhook for events from now on. @throws CairnError WEBHOOK_LIMIT */
export async function insertWebhook(
  context: Pick<Context, 'db' | 'clock' | 'config' | 'secret' | 'secondarySecret'>,
  address: string,
  { url, types, description }: WebhookSettings,
): Promise<{ row: WebhookRow; secret: string }> {
  const { db, clock, config } = context
  const now = clock.now()
  const id = uuidv7(now)
  const { text, ...seal } = createWebhookSecret(context, { id, address })
  const row = await db.write(async (trx) => {
    // Locks the account, so that the limit is exact.
    const cursor = await recordEvents(trx, address, now, {
      type: 'webhook.created',
      data: { webhookId: id, host: hostOf(url) },
    })
    const { count } = await trx
      .selectFrom('webhook')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('address', '=', address)
      .executeTakeFirstOrThrow()
    const { maxWebhooksPerAccount } = config
    if (Number(count) >= maxWebhooksPerAccount)
      throw new CairnError('WEBHOOK_LIMIT', { details: { limit: maxWebhooksPerAccount } })
    return trx
      .insertInto('webhook')
      .values({
        id,
        address,
        url,
        types: JSON.stringify(types),
        description,
        ...seal,
        is_enabled: 1,
        disabled_reason: null,
        failing_since: null,
        cursor,
        missed_events: 0,
        created_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  })
  return { row, secret: text }
}

/** Returns the webhooks of an account, oldest first. */
export function findWebhooks({ db }: Pick<Context, 'db'>, address: string): Promise<WebhookRow[]> {
  return db.read.selectFrom('webhook').selectAll().where('address', '=', address).orderBy('id').execute()
}

/** Returns one webhook of an account. @throws CairnError WEBHOOK_NOT_FOUND */
export async function requireWebhook({ db }: Pick<Context, 'db'>, address: string, id: string): Promise<WebhookRow> {
  const row = await db.read
    .selectFrom('webhook')
    .selectAll()
    .where('id', '=', id)
    .where('address', '=', address)
    .executeTakeFirst()
  if (row === undefined) throw new CairnError('WEBHOOK_NOT_FOUND')
  return row
}

/**
 * Changes a webhook. A new URL, or enabling it, makes its pending deliveries due again; those of types that it delivers no
 * longer are removed.
 * @throws CairnError WEBHOOK_NOT_FOUND
 */
export async function changeWebhook(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  address: string,
  id: string,
  { isEnabled, types, ...texts }: WebhookChange,
): Promise<WebhookRow> {
  const isRetried = isEnabled === true || texts.url !== undefined
  const change: Updateable<Schema['webhook']> = {
    ...texts,
    ...(types === undefined ? {} : { types: JSON.stringify(types) }),
    ...(isEnabled === undefined ? {} : { is_enabled: isEnabled ? (1 as const) : (0 as const), disabled_reason: null }),
    ...(isRetried ? { failing_since: null } : {}),
  }
  return db.write(async (trx) => {
    const row = await trx
      .updateTable('webhook')
      .set({ id, ...change })
      .where('id', '=', id)
      .where('address', '=', address)
      .returningAll()
      .executeTakeFirst()
    if (row === undefined) throw new CairnError('WEBHOOK_NOT_FOUND')
    if (types !== undefined && types.length > 0) await removePending(trx, id, types)
    if (row.is_enabled === 0) await postponePending(trx, id)
    else if (isRetried) await hastenPending(trx, id, clock.now(), { tries: 0 })
    return row
  })
}

/** Removes a webhook and its deliveries. @throws CairnError WEBHOOK_NOT_FOUND */
export async function deleteWebhook(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  address: string,
  id: string,
): Promise<void> {
  await db.write(async (trx) => {
    const row = await trx
      .deleteFrom('webhook')
      .where('id', '=', id)
      .where('address', '=', address)
      .returning('url')
      .executeTakeFirst()
    if (row === undefined) throw new CairnError('WEBHOOK_NOT_FOUND')
    await recordEvents(trx, address, clock.now(), {
      type: 'webhook.removed',
      data: { webhookId: id, host: hostOf(row.url) },
    })
  })
}

/** Disables a webhook that keeps failing; its pending deliveries wait until it is enabled again. */
export async function disableWebhook(
  trx: Kysely<Schema>,
  { id, address, url }: Pick<WebhookRow, 'id' | 'address' | 'url'>,
  { reason, reasonFacts: { code, values }, failingSince }: Reason & { failingSince?: string },
  now: number,
): Promise<void> {
  const disabled = await trx
    .updateTable('webhook')
    .set({ is_enabled: 0, disabled_reason: reason })
    .where('id', '=', id)
    .where('is_enabled', '=', 1)
    .returning('id')
    .executeTakeFirst()
  if (disabled === undefined) return
  await postponePending(trx, id)
  await recordEvents(trx, address, now, {
    type: 'webhook.disabled',
    data: {
      ...values,
      webhookId: id,
      host: hostOf(url),
      reason,
      reasonCode: code,
      ...(failingSince === undefined ? {} : { failingSince }),
    },
  })
}

/** Makes pending deliveries due now: their receiver works again. */
export async function hastenPending(
  trx: Kysely<Schema>,
  webhookId: string,
  now: number,
  change: { tries?: number } = {},
): Promise<void> {
  await trx
    .updateTable('webhook_delivery')
    .set({ ...change, next_at: now })
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'pending')
    .execute()
}

/** Removes pending deliveries of all types except these. */
async function removePending(trx: Kysely<Schema>, webhookId: string, types: readonly string[]): Promise<void> {
  await trx
    .deleteFrom('webhook_delivery')
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'pending')
    .where('type', 'not in', types)
    .execute()
}

/** Takes pending deliveries of a disabled webhook out of the way of the others. */
async function postponePending(trx: Kysely<Schema>, webhookId: string): Promise<void> {
  await hastenPending(trx, webhookId, latestTimeMs)
}
