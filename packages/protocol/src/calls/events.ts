import * as v from 'valibot'
import { authErrors, defineCall } from '../call.ts'
import { callTimeoutMs } from '../limits.ts'
import { accountEventSchema, eventTypes } from '../schemas/events.ts'

/** Maximum and default number of events per page. */
export const maxEventRows = 1000
const defaultEventRows = 100

const cursorText = v.pipe(v.string(), v.regex(/^(\d{1,16}|latest)$/, 'must be a cursor of an event, or latest'))
const query = v.object({
  /** Cursor of the last known event, or `latest` for events from now on. Defaults to the oldest stored event. */
  after: v.optional(cursorText),
  /** Types of events, separated by commas. Defaults to all that the API key may read. */
  types: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(1000),
      v.transform((text) => text.split(',')),
      v.array(v.picklist(eventTypes)),
    ),
  ),
})

const page = v.object({
  /** Oldest first. */
  events: v.array(accountEventSchema),
  /** Use it as `after` of the next call. */
  cursor: v.string(),
  /** Whether further events are stored. */
  hasMore: v.boolean(),
  /** Number of events after the requested cursor that are no longer stored. */
  missedEvents: v.number(),
})
/** Events of an account in order. */
export type EventPage = v.InferOutput<typeof page>

const common = {
  host: 'api',
  tag: 'Events',
  auth: 'apiKey',
  scope: 'files:read',
  errors: [...authErrors, 'INVALID_CURSOR'],
  dialect: 'api',
  idempotent: true,
} as const

/** `GET /api/events`: the events of the account in order. */
export const listEvents = defineCall({
  ...common,
  id: 'listEvents',
  method: 'GET',
  path: '/api/events',
  summary: 'List the events of the account',
  description:
    'Returns events, oldest first. The cursors of an account are consecutive numbers, so a client that continues from the returned `cursor` misses no event. Events about API keys, S3 access keys and webhooks require the scope `account`.',
  query: v.object({
    ...query.entries,
    limit: v.optional(
      v.pipe(v.string(), v.regex(/^\d{1,4}$/), v.transform(Number), v.minValue(1), v.maxValue(maxEventRows)),
      String(defaultEventRows),
    ),
  }),
  response: { kind: 'json', schema: page },
  limits: { timeoutMs: callTimeoutMs, perMinute: 600 },
})

/** `GET /api/events/stream`: the same events as server-sent events. */
export const streamEvents = defineCall({
  ...common,
  id: 'streamEvents',
  method: 'GET',
  path: '/api/events/stream',
  summary: 'Follow the events of the account',
  description:
    'Sends events as server-sent events: `id` is the cursor, `event` the type, `data` the event as JSON. `Last-Event-ID` continues after a cursor and takes precedence over `after`; without either, only new events are sent. The first message, `cursor`, contains the cursor that the stream starts from. `gap` reports events that are no longer stored. `end` reports why the service closes the stream, for example a revoked API key. Idle streams receive a comment every 15 seconds.',
  query,
  headers: v.object({ 'last-event-id': v.optional(cursorText) }),
  response: { kind: 'text', mediaType: 'text/event-stream' },
  errors: [...common.errors, 'EVENT_STREAM_LIMIT'],
  limits: { perMinute: 120 },
})

/** `GET /api/events/export`: the stored events as a signed log. */
export const exportEvents = defineCall({
  ...common,
  id: 'exportEvents',
  method: 'GET',
  path: '/api/events/export',
  summary: 'Export the event log of the account',
  description:
    'Sends the stored events, oldest first, as JSON lines: a head with the network, the account and the public key of the service, one line per event, and a seal with the number of events, a hash chain over all lines and its signature. An incomplete export has no seal. Requires the scopes `account` and `files:read`, because the log has events of all types.',
  scope: 'account',
  errors: authErrors,
  response: { kind: 'text', mediaType: 'application/x-ndjson' },
  limits: { perMinute: 6 },
})
