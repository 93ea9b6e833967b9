import { type EventPage, type EventType, listEvents as listEventsCall } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'

/** Which events to read. */
export type EventFilter = {
  /**
   * Cursor of the last known event, or `latest` for events from now on.
   * @defaultValue the oldest stored event for `listEvents`, `latest` for `watchEvents`
   */
  after?: string
  /** Defaults to all types that the API key may read. */
  types?: readonly EventType[]
}

/**
 * Returns a page of the events of the account, oldest first. Continue with `cursor` of the page as `after`: no event is
 * skipped or repeated. `missedEvents` counts the events after `after` that are no longer stored.
 * @param filter `limit` defaults to 100
 * @throws CairnError INVALID_CURSOR, FORBIDDEN (a type that requires another scope)
 */
export function listEvents(
  client: Client,
  filter: EventFilter & { limit?: number } = {},
  options?: CallOptions,
): Promise<EventPage> {
  const { limit } = filter
  const query = { ...queryOf(filter), ...(limit === undefined ? {} : { limit: String(limit) }) }
  return call(client, listEventsCall, { query }, options)
}

/** Writes a filter as the query of a call. */
export function queryOf({ after, types }: EventFilter): { after?: string; types?: string } {
  return { ...(after === undefined ? {} : { after }), ...(types === undefined ? {} : { types: types.join(',') }) }
}
