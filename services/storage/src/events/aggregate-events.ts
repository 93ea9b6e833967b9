import { uuidv7 } from '@cairn/service'
import type { Kysely } from 'kysely'
import * as v from 'valibot'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { type NewEvent, recordEvents } from './record-events.ts'

/** An event about an aggregate, which may contain content of many accounts. */
export type AggregateEvent = Extract<NewEvent, { type: 'deal.active' | 'deal.lost' | 'proof.missed' | 'proof.resumed' }>

/** Accounts per unit of work; small, so that their uploads wait only briefly. */
const accountsAtOnce = 50

const common = { dealNumber: v.number(), provider: v.string(), aggregateCid: v.string() }
const reason = v.nullable(v.string())
const eventSchema: v.GenericSchema<unknown, AggregateEvent> = v.variant('type', [
  v.object({ type: v.literal('deal.active'), data: v.object(common) }),
  v.object({ type: v.literal('deal.lost'), data: v.object({ ...common, reason }) }),
  v.object({ type: v.literal('proof.missed'), data: v.object({ ...common, reason }) }),
  v.object({ type: v.literal('proof.resumed'), data: v.object(common) }),
])

/**
 * Notes an event of an aggregate in the unit of work of what it reports. The worker records it for each account with content
 * in the aggregate, because one unit for thousands of accounts would block their uploads.
 */
export async function noteAggregateEvent(
  trx: Kysely<Schema>,
  aggregateId: string,
  now: number,
  { type, data }: AggregateEvent,
): Promise<void> {
  const row = { id: uuidv7(now), aggregate_id: aggregateId, type, data: JSON.stringify(data), created_at: now }
  await trx
    .insertInto('aggregate_event')
    .values({ ...row, after_address: '' })
    .execute()
}

/**
 * Records noted events for the next accounts, oldest event first. Each account gets an event exactly once: the progress is
 * stored in the same unit, on whichever replica.
 * @returns whether anything remains to be done
 */
export async function spreadAggregateEvents({ db }: Pick<Context, 'db'>): Promise<boolean> {
  const next = await db.read.selectFrom('aggregate_event').selectAll().orderBy('id').limit(1).executeTakeFirst()
  if (next === undefined) return false
  await db.write(async (trx) => {
    const addresses = await findAddresses(trx, next.aggregate_id, next.after_address)
    const last = addresses.at(-1)
    const own = { id: next.id, after_address: next.after_address }
    const moved =
      last === undefined
        ? await trx
            .deleteFrom('aggregate_event')
            .where('id', '=', own.id)
            .where('after_address', '=', own.after_address)
            .returning('id')
            .executeTakeFirst()
        : await trx
            .updateTable('aggregate_event')
            .set({ after_address: last })
            .where('id', '=', own.id)
            .where('after_address', '=', own.after_address)
            .returning('id')
            .executeTakeFirst()
    // Another replica recorded it for these accounts.
    if (moved === undefined) return
    const event = v.parse(eventSchema, { type: next.type, data: JSON.parse(next.data) })
    for (const address of addresses) await recordEvents(trx, address, next.created_at, event)
  })
  return true
}

/** Returns the next accounts that have content in an aggregate, by address. */
async function findAddresses(trx: Kysely<Schema>, aggregateId: string, after: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('piece')
    .innerJoin('piece_pack', 'piece_pack.piece_id', 'piece.id')
    .innerJoin('upload_pack', 'upload_pack.pack_id', 'piece_pack.pack_id')
    .innerJoin('upload', 'upload.id', 'upload_pack.upload_id')
    .select('upload.address')
    .distinct()
    .where('piece.aggregate_id', '=', aggregateId)
    .where('upload.address', '>', after)
    .orderBy('upload.address')
    .limit(accountsAtOnce)
    .execute()
  return rows.map(({ address }) => address)
}
