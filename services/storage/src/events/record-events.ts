import type { EventData, EventType } from '@cairn/protocol'
import { prepareStatement, type StatementParams, uuidv7 } from '@cairn/service'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'

/** An event to record: a type with its data. */
export type NewEvent = { [Type in EventType]: { type: Type; data: EventData[Type] } }[EventType]

/** Texts from users are cut to this length, so that the size of an event is bounded. */
const maxTextCharacters = 1024
/** Rows per statement: their parameters stay far below the limit of either database. */
const rowsAtOnce = 200

/**
 * Records events of an account in the unit of work of what they report: both are recorded, or neither is. The counter in
 * the row of the account locks that row until the unit ends, so that numbers become visible in order and without gaps.
 * @returns the sequence of the last event
 */
export async function recordEvents(
  trx: Kysely<Schema>,
  address: string,
  now: number,
  ...events: readonly NewEvent[]
): Promise<number> {
  const { event_count: newest } = await trx
    .updateTable('account')
    .set(({ eb }) => ({ event_count: eb('event_count', '+', events.length) }))
    .where('address', '=', address)
    .returning('event_count')
    .executeTakeFirstOrThrow()
  await insertEvents(trx, address, { newest, now }, events)
  return newest
}

/**
 * Inserts events for a caller that changed the row of the account in the same statement as the counter: one statement less
 * than {@link recordEvents}.
 * @param at `newest` is the counter after it grew by the number of events
 */
export async function insertEvents(
  trx: Kysely<Schema>,
  address: string,
  { newest, now }: { newest: number; now: number },
  events: readonly NewEvent[],
): Promise<void> {
  const first = newest - events.length + 1
  for (let start = 0; start < events.length; start += rowsAtOnce) {
    const rows = events.slice(start, start + rowsAtOnce).map(({ type, data }, index) => ({
      address,
      sequence: first + start + index,
      id: uuidv7(now),
      type,
      data: JSON.stringify(data, cutText),
      created_at: now,
    }))
    const [row, ...more] = rows
    if (row !== undefined && more.length === 0) await insertEvent(trx, row)
    else await trx.insertInto('account_event').values(rows).execute()
  }
}

const insertEvent = prepareStatement((trx: Kysely<Schema>, param: StatementParams<Schema['account_event']>) =>
  trx.insertInto('account_event').values({
    address: param('address'),
    sequence: param('sequence'),
    id: param('id'),
    type: param('type'),
    data: param('data'),
    created_at: param('created_at'),
  }),
)

function cutText(_name: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= maxTextCharacters) return value
  return `${value.slice(0, maxTextCharacters - 1).toWellFormed()}…`
}
