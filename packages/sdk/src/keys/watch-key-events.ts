import { CairnError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { pause } from '../request.ts'
import { type KeyEvent, listKeyEvents } from './list-key-events.ts'

/** Options of {@link watchKeyEvents}. */
export type WatchKeyEventsOptions = {
  /** Only events of this file. */
  cid?: string
  /** Events from this time on, in ms since 1970. Defaults to now. */
  since?: number
  /** Time between two queries of the nodes, in ms. Defaults to 15 seconds. */
  everyMs?: number
  /** Called when too few nodes answer; the next query follows on schedule. */
  onFailure?: (error: CairnError) => void
  signal?: AbortSignal
}

const defaultEveryMs = 15_000
/** A node may report late, or with a clock that is behind. */
const overlapMs = 5 * 60_000

/**
 * Yields what happens to the file keys of the session's address, oldest first: each event once, and again when its
 * count grows. Never ends by itself.
 * @throws CairnError what another query cannot fix: NO_SESSION, SESSION_EXPIRED, ABORTED
 */
export async function* watchKeyEvents(
  client: Client,
  { cid, since = Date.now(), everyMs = defaultEveryMs, onFailure, signal }: WatchKeyEventsOptions = {},
): AsyncGenerator<KeyEvent> {
  const options = { ...(cid === undefined ? {} : { cid }), ...(signal === undefined ? {} : { signal }) }
  const counts = new Map<string, { count: number; at: number }>()
  let newest = since
  for (;;) {
    const fresh: KeyEvent[] = []
    try {
      for await (const event of listKeyEvents(client, options)) {
        if (event.at < newest - overlapMs) break
        const known = counts.get(event.id)
        if (event.at >= since && event.count > (known?.count ?? 0)) fresh.push(event)
      }
    } catch (error) {
      if (!CairnError.is(error) || !error.retry) throw error
      // Complete again with the next query.
      fresh.length = 0
      onFailure?.(error)
    }
    for (const event of fresh.reverse()) {
      counts.set(event.id, event)
      // Otherwise one node whose clock is ahead would make the later reports of the others too old.
      if (event.isConfirmed) newest = Math.max(newest, event.at)
      yield event
    }
    for (const [id, { at }] of counts) if (at < newest - 2 * overlapMs) counts.delete(id)
    await pause(everyMs, signal)
  }
}
