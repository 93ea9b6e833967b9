import {
  type AccountEvent,
  accountEventSchema,
  CairnError,
  cursorEventName,
  endEventName,
  eventHeartbeatMs,
  gapEventName,
  isErrorCode,
  restoreError,
  streamEvents,
} from '@cairn/protocol'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import * as v from 'valibot'
import type { Client } from '../client.ts'
import { describeCall, describeFailure, openResponse, pause } from '../request.ts'
import { type EventFilter, listEvents, queryOf } from './list-events.ts'

/** Options of {@link watchEvents}. */
export type WatchOptions = EventFilter & {
  /** Ends the iteration, which then throws ABORTED. */
  signal?: AbortSignal | undefined
  /** Called with the number of events that were no longer stored when the client asked for them. */
  onGap?: ((missedEvents: number) => void) | undefined
  /** Called before each pause after a lost connection. */
  onReconnect?: ((error: CairnError) => void) | undefined
}

/** A stream without a byte for this long is dead: the service sends heartbeats. */
const silenceMs = 3 * eventHeartbeatMs
/** Maximum length of a message that has not ended, in characters: those of the service have a few thousand. */
const maxMessageCharacters = 1024 * 1024
/** The empty line after a message. */
const messageEnds = ['\n\n', '\r\r', '\n\r\n']

/** First and maximum pause between attempts in ms; doubled each time, half of it random. */
const firstPauseMs = 500
const maxPauseMs = 30_000

const latest = 'latest'

const cursorSchema = v.object({ cursor: accountEventSchema.entries.cursor })
const gapSchema = v.object({ missedEvents: v.number() })
const endSchema = v.object({ code: v.string(), message: v.string() })

/**
 * Yields the events of the account as they happen. Reconnects after a lost connection and continues after the last event: no
 * event is skipped or repeated. Continues until `break` or `signal` ends it.
 *
 * @throws CairnError INVALID_CURSOR, EVENT_STREAM_LIMIT, API_KEY_REVOKED, API_KEY_EXPIRED, ABORTED, and other errors that a
 *   retry cannot fix
 * @example
 * for await (const event of watchEvents(client, { types: ['upload.stored'] })) console.log(event.data)
 */
export async function* watchEvents(
  client: Client,
  { signal, onGap, onReconnect, types, after = latest }: WatchOptions = {},
): AsyncGenerator<AccountEvent, void, undefined> {
  let cursor = after
  let failures = 0
  let hasConnected = false
  for (;;) {
    let error: CairnError | undefined
    try {
      // Known before the stream opens, so that a connection that is lost at once loses no event.
      if (cursor === latest) cursor = (await listEvents(client, { after: latest, limit: 1 }, { signal })).cursor
      const filter = { after: cursor, ...(types === undefined ? {} : { types }) }
      for await (const { event, data } of readStream(client, filter, signal)) {
        failures = 0
        hasConnected = true
        if (event === endEventName) throw toError(data)
        if (event === gapEventName) onGap?.(v.parse(gapSchema, data).missedEvents)
        else if (event === cursorEventName) cursor = v.parse(cursorSchema, data).cursor
        else {
          const found = v.parse(accountEventSchema, data)
          cursor = found.cursor
          yield found
        }
      }
    } catch (thrown) {
      error =
        thrown instanceof v.ValiError
          ? new CairnError('UNEXPECTED_RESPONSE', { cause: thrown })
          : CairnError.from(thrown)
      // The service may not have noticed yet that the previous connection is gone.
      const isOwnStream = hasConnected && error.code === 'EVENT_STREAM_LIMIT'
      const mayPass = error.retry || error.code === 'TIMEOUT' || isOwnStream
      if (signal?.aborted || !mayPass) throw error
    }
    onReconnect?.(error ?? new CairnError('NETWORK_ERROR', { message: 'The service closed the stream' }))
    const pauseMs = Math.min(maxPauseMs, firstPauseMs * 2 ** failures) * (0.5 + Math.random() / 2)
    failures++
    await pause(Math.max(pauseMs, (error?.retryAfterSeconds ?? 0) * 1000), signal)
  }
}

type Message = { event: string | undefined; data: unknown }

/**
 * Yields the messages of one connection.
 * @throws CairnError TIMEOUT if it is silent, and the errors of the call
 */
async function* readStream(
  client: Client,
  filter: EventFilter,
  signal: AbortSignal | undefined,
): AsyncGenerator<Message, void, undefined> {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), silenceMs)
  const stop = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal])
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  try {
    const send = describeCall(client, streamEvents, { query: queryOf(filter), headers: {} }, { signal: stop })
    const response = await openResponse(client, { ...send, timeoutMs: client.transferTimeoutMs })
    if (response.body === null) return
    reader = response.body.getReader()
    const messages: EventSourceMessage[] = []
    const parser = createParser({ onEvent: (message) => messages.push(message) })
    const decoder = new TextDecoder()
    let pendingCharacters = 0
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      clearTimeout(timer)
      const text = decoder.decode(value, { stream: true })
      const end = Math.max(...messageEnds.map((one) => text.lastIndexOf(one)))
      pendingCharacters = end === -1 ? pendingCharacters + text.length : text.length - end
      // The parser keeps a message until it ends, however long it is.
      if (pendingCharacters > maxMessageCharacters)
        throw new CairnError('UNEXPECTED_RESPONSE', { message: 'The server sent an event that is too long' })
      parser.feed(text)
      for (const { event, data } of messages.splice(0)) yield { event, data: parseJson(data) }
      // Restarted here, because the caller may take any time for an event.
      timer = setTimeout(() => silence.abort(), silenceMs)
    }
  } catch (error) {
    if (silence.signal.aborted && !signal?.aborted) {
      throw new CairnError('TIMEOUT', { message: 'The event stream fell silent', cause: error })
    }
    throw describeFailure(error, signal)
  } finally {
    clearTimeout(timer)
    await reader?.cancel().catch(() => undefined)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CairnError('UNEXPECTED_RESPONSE', { cause })
  }
}

function toError(data: unknown): CairnError {
  const { code, message } = v.parse(endSchema, data)
  return restoreError(isErrorCode(code) ? code : 'UNEXPECTED_RESPONSE', { message })
}
