import { CairnError, latestTimeMs } from '@cairn/protocol'
import type { Kysely, Selectable } from 'kysely'
import * as v from 'valibot'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { toEvent } from '../events/events.ts'
import type { WebhookRow } from './store.ts'

type EventRow = Selectable<Schema['account_event']>

/** Pending deliveries per webhook. Further events wait in the log. */
const maxPending = 1000
/** Finished deliveries that are listed per webhook: those of its newest events. */
const maxEnded = 1000
/** Events per unit of work, and webhooks per query. */
const eventsAtOnce = 200
const webhooksAtOnce = 50
/** Events per replay. */
const maxReplayed = 1000

const typesSchema = v.pipe(v.string(), v.parseJson(), v.array(v.string()))

/** Returns the types that a webhook delivers; empty for all. */
export const readTypes = ({ types }: Pick<WebhookRow, 'types'>): string[] => v.parse(typesSchema, types)

/** Queues new events for all enabled webhooks. Replicas may run it concurrently: each event is queued once per webhook. */
export async function queueNewEvents(context: Pick<Context, 'db' | 'clock'>, signal: AbortSignal): Promise<void> {
  for (let after = ''; !signal.aborted; ) {
    const rows = await context.db.read
      .selectFrom('webhook')
      .innerJoin('account', 'account.address', 'webhook.address')
      .select('webhook.id')
      .where('webhook.is_enabled', '=', 1)
      .whereRef('webhook.cursor', '<', 'account.event_count')
      // A client can have many webhooks with full queues: a unit of work for each in every round would delay all others.
      .where(
        ({ selectFrom }) =>
          selectFrom('webhook_delivery')
            .select(({ fn }) => fn.countAll<number>().as('count'))
            .whereRef('webhook_delivery.webhook_id', '=', 'webhook.id')
            .where('webhook_delivery.state', '=', 'pending'),
        '<',
        maxPending,
      )
      .where('webhook.id', '>', after)
      .orderBy('webhook.id')
      .limit(webhooksAtOnce)
      .execute()
    for (const { id } of rows) {
      while (!signal.aborted && (await queueSome(context, id)) === eventsAtOnce) {}
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < webhooksAtOnce) return
    after = last.id
  }
}

/** Queues the next events of one webhook. Returns how many events were considered. */
function queueSome({ db, clock }: Pick<Context, 'db' | 'clock'>, id: string): Promise<number> {
  return db.write(async (trx) => {
    // Locks the webhook, so that each event is queued once.
    const webhook = await trx
      .updateTable('webhook')
      .set({ id })
      .where('id', '=', id)
      .where('is_enabled', '=', 1)
      .returningAll()
      .executeTakeFirst()
    if (webhook === undefined) return 0
    const capacity = maxPending - (await countPending(trx, id))
    if (capacity <= 0) return 0
    const newest = await findNewest(trx, webhook.address)
    const events = await readRange(trx, webhook.address, webhook.cursor, newest, Math.min(eventsAtOnce, capacity))
    // Events that expired before they could be queued.
    const missed = (events[0]?.sequence ?? newest + 1) - webhook.cursor - 1
    const cursor = events.at(-1)?.sequence ?? newest
    await insertDeliveries(trx, webhook, events, clock.now())
    await trx
      .updateTable('webhook')
      .set(({ eb }) => ({ cursor, missed_events: eb('missed_events', '+', missed) }))
      .where('id', '=', id)
      .execute()
    await trx
      .deleteFrom('webhook_delivery')
      .where('webhook_id', '=', id)
      .where('sequence', '<=', cursor - maxEnded)
      .where('state', '<>', 'pending')
      .execute()
    return events.length
  })
}

/**
 * Queues stored events of a range again, up to a limit, and as far as the queue of the webhook has space.
 * @param until last sequence; the newest when undefined
 * @throws CairnError INVALID_CURSOR, WEBHOOK_NOT_FOUND
 */
export function replayEvents(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { id }: Pick<WebhookRow, 'id'>,
  after: number,
  until: number | undefined,
): Promise<{ queued: number; cursor: string }> {
  return db.write(async (trx) => {
    // Locks the webhook, so that it is not disabled meanwhile.
    const webhook = await trx.updateTable('webhook').set({ id }).where('id', '=', id).returningAll().executeTakeFirst()
    if (webhook === undefined) throw new CairnError('WEBHOOK_NOT_FOUND')
    const newest = await findNewest(trx, webhook.address)
    if (after > newest) throw new CairnError('INVALID_CURSOR', { details: { newest: String(newest) } })
    const last = Math.min(until ?? newest, newest)
    const found = await readRange(trx, webhook.address, after, last, maxReplayed)
    const events = await takeWhatFits(trx, webhook, found)
    const queued = await insertDeliveries(trx, webhook, events, clock.now())
    if (events.length === found.length && found.length < maxReplayed) return { queued, cursor: String(last) }
    return { queued, cursor: String(events.at(-1)?.sequence ?? after) }
  })
}

/** Returns the events before the first one that does not fit into the queue of a webhook. Events that are already queued fit. */
async function takeWhatFits(
  trx: Kysely<Schema>,
  webhook: WebhookRow,
  events: readonly EventRow[],
): Promise<readonly EventRow[]> {
  const types = readTypes(webhook)
  const rows = await trx
    .selectFrom('webhook_delivery')
    .select('sequence')
    .where('webhook_id', '=', webhook.id)
    .where('state', '=', 'pending')
    .execute()
  const pending = new Set(rows.map(({ sequence }) => sequence))
  const end = events.findIndex(({ type, sequence }) => {
    if (!isWanted(types, type)) return false
    pending.add(sequence)
    return pending.size > Math.max(rows.length, maxPending)
  })
  return end === -1 ? events : events.slice(0, end)
}

/** Whether a webhook with these types delivers an event of this type; an empty list stands for all types. */
const isWanted = (types: readonly string[], type: string): boolean => types.length === 0 || types.includes(type)

/** Inserts pending deliveries of the types of a webhook; an existing delivery starts again. Returns how many. */
async function insertDeliveries(
  trx: Kysely<Schema>,
  webhook: WebhookRow,
  events: readonly EventRow[],
  now: number,
): Promise<number> {
  const types = readTypes(webhook)
  // Those of a disabled webhook wait until it is enabled.
  const nextAt = webhook.is_enabled === 1 ? now : latestTimeMs
  const wanted = events.filter(({ type }) => isWanted(types, type))
  for (let start = 0; start < wanted.length; start += eventsAtOnce) {
    const rows = wanted.slice(start, start + eventsAtOnce).map((event) => ({
      webhook_id: webhook.id,
      sequence: event.sequence,
      event_id: event.id,
      type: event.type,
      body: JSON.stringify(toEvent(event)),
      state: 'pending' as const,
      tries: 0,
      next_at: nextAt,
      owner: null,
      owner_until: null,
      last_status: null,
      last_error: null,
      created_at: event.created_at,
      updated_at: now,
    }))
    await trx
      .insertInto('webhook_delivery')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['webhook_id', 'sequence']).doUpdateSet({
          state: 'pending',
          tries: 0,
          next_at: nextAt,
          owner: null,
          owner_until: null,
          updated_at: now,
        }),
      )
      .execute()
  }
  return wanted.length
}

function readRange(
  trx: Kysely<Schema>,
  address: string,
  after: number,
  last: number,
  limit: number,
): Promise<EventRow[]> {
  return trx
    .selectFrom('account_event')
    .selectAll()
    .where('address', '=', address)
    .where('sequence', '>', after)
    .where('sequence', '<=', last)
    .orderBy('sequence')
    .limit(limit)
    .execute()
}

async function findNewest(trx: Kysely<Schema>, address: string): Promise<number> {
  const row = await trx
    .selectFrom('account')
    .select('event_count')
    .where('address', '=', address)
    .executeTakeFirstOrThrow()
  return row.event_count
}

async function countPending(trx: Kysely<Schema>, webhookId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('webhook_delivery')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow()
  return Number(count)
}
