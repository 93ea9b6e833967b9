import {
  type AccountEvent,
  accountEventSchema,
  CairnError,
  type EventPage,
  type EventType,
  eventScopes,
  eventTypes,
  type Scope,
} from '@cairn/protocol'
import type { Selectable } from 'kysely'
import * as v from 'valibot'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'

type EventRow = Selectable<Schema['account_event']>

const dataSchema = v.pipe(v.string(), v.parseJson(), accountEventSchema.entries.data)

/**
 * Returns the types that a caller asked for.
 * @throws CairnError FORBIDDEN for a type that the scopes do not cover
 */
export function selectTypes(scopes: readonly Scope[], asked: readonly EventType[] | undefined): readonly EventType[] {
  const hidden = asked?.find((type) => !scopes.includes(eventScopes[type]))
  if (hidden !== undefined) {
    throw new CairnError('FORBIDDEN', {
      message: `Events of the type ${hidden} require the scope ${eventScopes[hidden]}`,
      details: { scope: eventScopes[hidden] },
    })
  }
  return asked ?? eventTypes.filter((type) => scopes.includes(eventScopes[type]))
}

/**
 * Returns the position that a text names: the cursor itself, or that of the newest event. Without a text, the position
 * before the oldest stored event.
 * @throws CairnError INVALID_CURSOR
 */
export async function findPosition(
  { db }: Pick<Context, 'db'>,
  address: string,
  text: string | undefined,
): Promise<number> {
  const newest = await findNewest(db, address)
  if (text === 'latest') return newest
  if (text === undefined) return (await findOldest(db, address, newest)) - 1
  const position = Number(text)
  if (position > newest) throw new CairnError('INVALID_CURSOR', { details: { newest: String(newest) } })
  return position
}

/** Returns events after a position. */
export async function readEvents(
  { db }: Pick<Context, 'db'>,
  address: string,
  { after, types, limit }: { after: number; types: readonly EventType[]; limit: number },
): Promise<EventPage & { position: number }> {
  // Read before the events: all up to this one are committed, so none of them can appear later.
  const newest = await findNewest(db, address)
  const found =
    newest > after && types.length > 0
      ? await db.read
          .selectFrom('account_event')
          .selectAll()
          .where('address', '=', address)
          .where('sequence', '>', after)
          .where('sequence', '<=', newest)
          .where('type', 'in', types)
          .orderBy('sequence')
          .limit(limit + 1)
          .execute()
      : []
  const rows = found.slice(0, limit)
  const hasMore = found.length > limit
  const position = hasMore ? (rows.at(-1)?.sequence ?? after) : Math.max(newest, after)
  // Read after the events, because those that expire meanwhile are missing above.
  const oldest = newest > after ? await findOldest(db, address, newest) : after + 1
  return {
    events: rows.map(toEvent),
    cursor: String(position),
    position,
    hasMore,
    missedEvents: Math.max(0, Math.min(oldest, rows[0]?.sequence ?? oldest) - after - 1),
  }
}

/** Converts a row to its wire form. */
export function toEvent({ id, sequence, type, data, created_at: createdAt }: EventRow): AccountEvent {
  return {
    id,
    cursor: String(sequence),
    type,
    timestamp: new Date(createdAt).toISOString(),
    data: v.parse(dataSchema, data),
  }
}

async function findNewest(db: Context['db'], address: string): Promise<number> {
  const row = await db.read
    .selectFrom('account')
    .select('event_count')
    .where('address', '=', address)
    .executeTakeFirst()
  return row?.event_count ?? 0
}

/** Returns the sequence of the oldest stored event, or of the next one if none is stored. */
async function findOldest(db: Context['db'], address: string, newest: number): Promise<number> {
  const row = await db.read
    .selectFrom('account_event')
    .select('sequence')
    .where('address', '=', address)
    .orderBy('sequence')
    .limit(1)
    .executeTakeFirst()
  return row?.sequence ?? newest + 1
}
