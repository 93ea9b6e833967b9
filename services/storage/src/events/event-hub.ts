import {
  type AccountEvent,
  CairnError,
  cursorEventName,
  type EventType,
  endEventName,
  eventHeartbeatMs,
  gapEventName,
} from '@cairn/protocol'
import type { Context } from '../context.ts'
import { systemClock } from '../workers/worker.ts'
import { readEvents } from './read-events.ts'

/** Delay between rounds of the poller, in ms. */
const pollMs = 500
/** Accounts or keys per query. */
const idsAtOnce = 200
/** Events per page of a stream. */
const pageRows = 100
/** Delay after which clients reconnect, in ms. */
const reconnectMs = 1000

/** Returns why API keys no longer authenticate, by key; keys that do are absent. */
export type FindEndedKeys = (ids: readonly string[]) => Promise<ReadonlyMap<string, CairnError>>

/** The events that a stream requests. */
export type StreamRequest = {
  address: string
  keyId: string
  types: readonly EventType[]
  /** Position of the last event that the client knows. */
  after: number
}

/** An open stream. `release` must be called once its reader is gone. */
export type EventStream = { body: AsyncGenerator<string, void, undefined>; release(): void }

/** Streams of one process. One poller serves all of them, and stops while there are none. */
export type EventHub = {
  /** @throws CairnError EVENT_STREAM_LIMIT, OVERLOADED, UNAVAILABLE (the service is shutting down) */
  open(request: StreamRequest): EventStream
  /** Ends all streams. */
  close(): Promise<void>
}

type Follower = Readonly<StreamRequest> & {
  position: number
  /** Why the stream ends; null for a stream that ends without a reason for its client. */
  end: CairnError | null | undefined
  wake: () => void
}

/** Creates the hub. */
export function createEventHub(
  context: Pick<Context, 'db' | 'config' | 'failures' | 'metrics'>,
  findEndedKeys: FindEndedKeys,
): EventHub {
  const { db, config, failures, metrics } = context
  const followers = new Set<Follower>()
  const stop = new AbortController()
  let polling: Promise<void> | undefined

  const endWithKeys = async (): Promise<void> => {
    for (const ids of chunk(new Set([...followers].map(({ keyId }) => keyId)))) {
      const ended = await findEndedKeys(ids)
      for (const follower of followers) {
        const reason = ended.get(follower.keyId)
        if (reason === undefined) continue
        follower.end ??= reason
        follower.wake()
      }
    }
  }

  const wakeBehind = async (): Promise<void> => {
    for (const addresses of chunk(new Set([...followers].map(({ address }) => address)))) {
      const rows = await db.read
        .selectFrom('account')
        .select(['address', 'event_count'])
        .where('address', 'in', addresses)
        .execute()
      const newest = new Map(rows.map((row) => [row.address, row.event_count]))
      for (const follower of followers) {
        if ((newest.get(follower.address) ?? 0) > follower.position) follower.wake()
      }
    }
  }

  const poll = async (): Promise<void> => {
    while (followers.size > 0 && !stop.signal.aborted) {
      try {
        // Keys first, so that a revoked key reads no event that is newer than its revocation by more than one round.
        await endWithKeys()
        await wakeBehind()
      } catch (error) {
        failures.failed('event streams', error, 'failed to check for new events')
      }
      await systemClock.sleep(pollMs, stop.signal)
    }
    polling = undefined
  }

  const open = (request: StreamRequest): EventStream => {
    if (stop.signal.aborted) throw new CairnError('UNAVAILABLE', { message: 'The service is shutting down' })
    if (followers.size >= config.maxEventStreams) throw new CairnError('OVERLOADED')
    const own = [...followers].filter(({ address }) => address === request.address).length
    if (own >= config.maxEventStreamsPerAccount) {
      throw new CairnError('EVENT_STREAM_LIMIT', {
        details: { limit: config.maxEventStreamsPerAccount },
      })
    }
    const follower: Follower = { ...request, position: request.after, end: undefined, wake: () => undefined }
    followers.add(follower)
    metrics.eventStreams.set(followers.size)
    const release = (): void => {
      followers.delete(follower)
      metrics.eventStreams.set(followers.size)
      follower.end ??= null
      follower.wake()
    }
    polling ??= poll()
    return { body: follow(context, follower), release }
  }

  return {
    open,
    async close() {
      stop.abort()
      for (const follower of followers) {
        follower.end ??= null
        follower.wake()
      }
      await polling
    },
  }
}

async function* follow(context: Pick<Context, 'db'>, follower: Follower): AsyncGenerator<string, void, undefined> {
  yield `retry: ${reconnectMs}\n${formatCursor(follower.position)}`
  while (follower.end === undefined) {
    const woken = nextWake(follower)
    const { events, position, hasMore, missedEvents } = await readEvents(context, follower.address, {
      after: follower.position,
      types: follower.types,
      limit: pageRows,
    })
    if (missedEvents > 0) yield formatMessage({ event: gapEventName, data: { missedEvents } })
    for (const event of events) yield formatEvent(event)
    // Moves the cursor of the client past events of other types.
    if (position !== follower.position && events.at(-1)?.cursor !== String(position)) {
      yield formatCursor(position)
    }
    follower.position = position
    if (hasMore) follower.wake()
    if (await woken) continue
    yield ': heartbeat\n\n'
  }
  if (follower.end !== null) yield formatMessage({ event: endEventName, data: follower.end.toJSON() })
}

/** Resolves with true once the follower is woken, with false when it is time for a heartbeat. */
function nextWake(follower: Follower): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), eventHeartbeatMs)
    follower.wake = () => {
      clearTimeout(timer)
      resolve(true)
    }
  })
}

/** @see https://html.spec.whatwg.org/multipage/server-sent-events.html */
function formatEvent(event: AccountEvent): string {
  return formatMessage({ id: event.cursor, event: event.type, data: event })
}

function formatCursor(position: number): string {
  const cursor = String(position)
  return formatMessage({ id: cursor, event: cursorEventName, data: { cursor } })
}

/** JSON has no line breaks, so `data` is one line. */
function formatMessage({ id, event, data }: { id?: string; event: string; data: unknown }): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

function* chunk(ids: ReadonlySet<string>): Generator<string[], void, undefined> {
  const all = [...ids]
  for (let start = 0; start < all.length; start += idsAtOnce) yield all.slice(start, start + idsAtOnce)
}
