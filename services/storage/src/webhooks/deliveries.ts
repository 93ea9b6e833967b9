import { eventReason } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Database } from '../db/database.ts'
import { isUnheld } from '../db/has-lapsed.ts'
import type { Schema, WebhookDeliveryTable } from '../db/schema.ts'
import type { Failure, Outcome } from './send-message.ts'
import { disableWebhook, hastenPending, type WebhookRow } from './store.ts'

export type DeliveryRow = WebhookDeliveryTable

/** Lifetime of the lease of a delivery: longer than an attempt can take. */
const leaseMs = 60_000
/** Delays after failed attempts, in ms; about a day in total. The attempt after the last delay is final. */
export const retryPausesMs = [
  5_000,
  30_000,
  120_000,
  600_000,
  1_800_000,
  ...Array.from({ length: 23 }, () => 3_600_000),
] as const
/** Delays grow randomly by up to this fraction, so that retries spread. */
const jitter = 0.2
/** The receiver no longer exists. */
const goneStatus = 410
/** How long finished deliveries are listed. */
const endedLifetimeMs = 7 * 24 * 3_600_000

/** A webhook with due deliveries. */
export type DueWebhook = Pick<WebhookRow, 'id' | 'address'>

/** Returns enabled webhooks with due deliveries, longest due first. */
export function findDueWebhooks({ db, clock }: Pick<Context, 'db' | 'clock'>, limit: number): Promise<DueWebhook[]> {
  const now = clock.now()
  return (
    db.read
      .selectFrom('webhook_delivery')
      .innerJoin('webhook', 'webhook.id', 'webhook_delivery.webhook_id')
      .select(({ fn }) => ['webhook_id as id', fn.min('webhook.address').as('address')])
      .where('state', '=', 'pending')
      .where('next_at', '<=', now)
      // An attempt that was in progress when its webhook was disabled still sets the time of the next one.
      .where('webhook.is_enabled', '=', 1)
      .where(isUnheld('owner', now, leaseMs))
      .groupBy('webhook_id')
      .orderBy(({ fn }) => fn.min('next_at'))
      .limit(limit)
      .execute()
  )
}

/** Leases the next due delivery of a webhook; undefined if there is none. */
export async function takeDelivery(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  webhookId: string,
  owner: string,
): Promise<{ delivery: DeliveryRow; webhook: WebhookRow } | undefined> {
  const now = clock.now()
  const selectNext = (trx: Kysely<Schema>) => {
    const next = trx
      .selectFrom('webhook_delivery')
      .select('sequence')
      .where('webhook_id', '=', webhookId)
      .where('state', '=', 'pending')
      .where('next_at', '<=', now)
      .where(isUnheld('owner', now, leaseMs))
      .orderBy('sequence')
      .limit(1)
    // Otherwise replicas would wait for each other's row, and then find it taken.
    return db.kind === 'postgres' ? next.forUpdate().skipLocked() : next
  }
  const delivery = await db.write((trx) =>
    trx
      .updateTable('webhook_delivery')
      .set({ owner, owner_until: now + leaseMs })
      .where('webhook_id', '=', webhookId)
      .where('sequence', '=', selectNext(trx))
      // Another replica may have taken it since the subquery.
      .where(isUnheld('owner', now, leaseMs))
      .where('state', '=', 'pending')
      .returningAll()
      .executeTakeFirst(),
  )
  if (delivery === undefined) return undefined
  const webhook = await db.read
    .selectFrom('webhook')
    .selectAll()
    .where('id', '=', webhookId)
    .where('is_enabled', '=', 1)
    .executeTakeFirst()
  return webhook === undefined ? undefined : { delivery, webhook }
}

/** Releases a delivery whose attempt does not count. */
export async function releaseDelivery({ db }: Pick<Context, 'db'>, delivery: DeliveryRow): Promise<void> {
  await db.write((trx) =>
    trx
      .updateTable('webhook_delivery')
      .set({ owner: null, owner_until: null })
      .where('webhook_id', '=', delivery.webhook_id)
      .where('sequence', '=', delivery.sequence)
      .where('owner', '=', delivery.owner)
      .execute(),
  )
}

/**
 * Records the result of an attempt. A delivery that was replayed or taken over meanwhile stays pending: it is delivered
 * again, with the same id.
 */
export async function recordOutcome(
  { db, clock, config, metrics }: Pick<Context, 'db' | 'clock' | 'config' | 'metrics'>,
  { delivery, webhook }: { delivery: DeliveryRow; webhook: WebhookRow },
  outcome: Outcome,
): Promise<void> {
  const { status, error } = outcome
  const now = clock.now()
  const tries = delivery.tries + 1
  const pauseMs = retryPausesMs[delivery.tries]
  const isRetried = error !== null && status !== goneStatus && pauseMs !== undefined
  const state = error === null ? 'delivered' : isRetried ? 'pending' : 'failed'
  await db.write(async (trx) => {
    const failing = await lockWebhook(trx, webhook.id, error === null)
    const { numUpdatedRows } = await trx
      .updateTable('webhook_delivery')
      .set({
        state,
        tries,
        next_at: isRetried ? now + Math.round(pauseMs * (1 + Math.random() * jitter)) : now,
        owner: null,
        owner_until: null,
        last_status: status,
        last_error: error,
        updated_at: now,
      })
      .where('webhook_id', '=', delivery.webhook_id)
      .where('sequence', '=', delivery.sequence)
      .where('owner', '=', delivery.owner)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n || failing === undefined) return
    if (outcome.error === null) await noteSuccess(trx, webhook.id, now)
    else {
      const since = failing.failing_since ?? now
      await noteFailure(trx, webhook, outcome, { state, since, now, maxFailureMs: config.webhookFailureMs })
    }
  })
  metrics.webhookDeliveries.inc({ result: state === 'pending' ? 'retried' : state })
}

/**
 * Locks a webhook before any of its deliveries, as a change of it does: in another order, the two could wait for each other.
 * @param onlyFailing leaves one that is not failing unlocked, which a success does not change
 */
function lockWebhook(
  trx: Kysely<Schema>,
  id: string,
  onlyFailing: boolean,
): Promise<Pick<WebhookRow, 'failing_since'> | undefined> {
  return trx
    .updateTable('webhook')
    .set({ id })
    .where('id', '=', id)
    .$if(onlyFailing, (query) => query.where('failing_since', 'is not', null))
    .returning('failing_since')
    .executeTakeFirst()
}

async function noteSuccess(trx: Kysely<Schema>, id: string, now: number): Promise<void> {
  await trx.updateTable('webhook').set({ failing_since: null }).where('id', '=', id).execute()
  await hastenPending(trx, id, now)
}

/**
 * Disables a webhook whose receiver is gone. Also disables one without a success for days, once a delivery has failed
 * permanently: after a long time without events, the first failed attempt does not prove that the receiver failed in between.
 */
async function noteFailure(
  trx: Kysely<Schema>,
  webhook: WebhookRow,
  { status, error, errorFacts }: Failure,
  {
    state,
    since,
    now,
    maxFailureMs,
  }: { state: DeliveryRow['state']; since: number; now: number; maxFailureMs: number },
): Promise<void> {
  if (status === goneStatus) return disableWebhook(trx, webhook, eventReason('RECEIVER_GONE', { status }), now)
  await trx.updateTable('webhook').set({ failing_since: since }).where('id', '=', webhook.id).execute()
  if (state !== 'failed' || now - since < maxFailureMs) return
  const failingSince = new Date(since).toISOString()
  const reason = `No delivery succeeded since ${failingSince}. ${error}`
  await disableWebhook(trx, webhook, { reason, reasonFacts: errorFacts, failingSince }, now)
}

/** Returns deliveries of a webhook, newest event first. */
export function listDeliveries(
  { db }: Pick<Context, 'db'>,
  webhookId: string,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<DeliveryRow[]> {
  let query = db.read.selectFrom('webhook_delivery').selectAll().where('webhook_id', '=', webhookId)
  if (before !== undefined) query = query.where('sequence', '<', before)
  return query.orderBy('sequence', 'desc').limit(limit).execute()
}

/** Deletes finished deliveries that are too old. */
export async function pruneDeliveries({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<void> {
  await db.write((trx) =>
    trx
      .deleteFrom('webhook_delivery')
      .where('state', '<>', 'pending')
      .where('updated_at', '<', clock.now() - endedLifetimeMs)
      .execute(),
  )
}

/** Measures the pending deliveries of enabled webhooks. */
export async function measureQueue({
  db,
  clock,
}: Pick<Context, 'db' | 'clock'>): Promise<{ depth: number; oldestSeconds: number }> {
  const row = await db.read
    .selectFrom('webhook_delivery')
    .innerJoin('webhook', 'webhook.id', 'webhook_delivery.webhook_id')
    .select(({ fn }) => [fn.countAll<number>().as('depth'), fn.min('webhook_delivery.created_at').as('oldest')])
    .where('webhook_delivery.state', '=', 'pending')
    .where('webhook.is_enabled', '=', 1)
    .executeTakeFirstOrThrow()
  const oldest = row.oldest === null ? undefined : Number(row.oldest)
  return {
    depth: Number(row.depth),
    oldestSeconds: oldest === undefined ? 0 : Math.max(0, (clock.now() - oldest) / 1000),
  }
}

/** Releases deliveries of stopped processes. Only for SQLite, whose database belongs to a single process. */
export async function endAllDeliveryOwners(db: Database): Promise<void> {
  await db.write((trx) =>
    trx
      .updateTable('webhook_delivery')
      .set({ owner: null, owner_until: null })
      .where('owner', 'is not', null)
      .execute(),
  )
}
