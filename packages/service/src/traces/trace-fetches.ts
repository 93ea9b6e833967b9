import diagnostics from 'node:diagnostics_channel'
import { currentSpan, type Span } from './span.ts'

/** Users of the subscription: several services may run in one process, and each `fetch` is one span. */
let users = 0
const spans = new WeakMap<object, Span>()

/**
 * Makes each `fetch` within a span a span of its own. Node announces them (https://undici.nodejs.org, Diagnostics
 * Channel). Only the host is recorded: paths of chains and providers may contain keys.
 *
 * @returns stops it
 */
export function traceFetches(): () => void {
  if (users++ === 0) for (const [name, listener] of listeners) diagnostics.subscribe(name, listener)
  return () => {
    if (--users === 0) for (const [name, listener] of listeners) diagnostics.unsubscribe(name, listener)
  }
}

const listeners: readonly [string, (message: unknown) => void][] = [
  [
    'undici:request:create',
    (message) => {
      const request = field(message, 'request')
      const parent = currentSpan()
      if (!isObject(request) || parent === undefined) return
      const method = String(field(request, 'method'))
      const host = hostOf(String(field(request, 'origin')))
      const facts = { 'http.request.method': method, 'server.address': host }
      spans.set(request, parent.start(`${method} ${host}`, { kind: 'client', facts }))
    },
  ],
  [
    'undici:request:headers',
    (message) => {
      const status = field(field(message, 'response'), 'statusCode')
      if (typeof status === 'number') find(message)?.add({ 'http.response.status_code': status })
    },
  ],
  ['undici:request:trailers', (message) => find(message)?.end()],
  [
    'undici:request:error',
    (message) => {
      const span = find(message)
      span?.fail(field(message, 'error'))
      span?.end()
    },
  ],
]

function find(message: unknown): Span | undefined {
  const request = field(message, 'request')
  return isObject(request) ? spans.get(request) : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}

function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : 'unknown'
}
