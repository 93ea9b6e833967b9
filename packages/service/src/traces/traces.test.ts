import pino from 'pino'
import { expect, test } from 'vitest'
import { createServiceApp } from '../http/app.ts'
import { listen } from '../http/connections/listen.ts'
import { createMetrics } from '../http/metrics.ts'
import { sendRequest } from '../http/outgoing/send-request.ts'
import { listenerSettings, readListenerConfig } from '../listener-settings.ts'
import { createLogGate } from '../log-gate.ts'
import { createReadiness } from '../readiness.ts'
import { readSettings } from '../settings.ts'
import { startCollector } from './collector.fixture.ts'
import { bindSpan, currentSpan, traceHeaders, traceStep } from './span.ts'
import { openTraces } from './traces.ts'

function configure(environment: Record<string, string>) {
  return readListenerConfig(readSettings(listenerSettings, environment, { foreign: new Set() }), 0)
}

/** A service without routes of its own. Disposing sends its last spans. */
async function startFrame(name: string, environment: Record<string, string>) {
  await using stack = new AsyncDisposableStack()
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
  const listener = configure(environment)
  const failures = createLogGate({ clock: { now: () => 0 }, log })
  const traces = stack.use(await openTraces(listener.traces, { name, version: '1.2.3', instance: 'only', failures }))
  const app = createServiceApp({
    log,
    metrics: createMetrics(),
    readiness: createReadiness({}, log),
    stop: new AbortController().signal,
    listener,
    publicUrl: undefined,
    dialect: 'api',
    traces,
  })
  stack.defer(() => app.close())
  return { app, lines, start: () => listen(app, '127.0.0.1', 0), parts: stack.move() }
}

test.each<[string, (url: string, headers: Record<string, string>) => Promise<unknown>]>([
  ['fetch', async (url, headers) => (await fetch(url, { headers })).text()],
  [
    'sendRequest',
    (url, headers) =>
      sendRequest(new URL(url), { method: 'GET', headers, signal: AbortSignal.timeout(20_000), maxAnswerBytes: 1000 }),
  ],
])('a request and the calls that it makes by %s are one trace over two services', async (_name, send) => {
  await using collector = await startCollector()
  const environment = { CAIRN_TRACES_URL: collector.url, CAIRN_TRACES_HEADERS: 'authorization=Bearer%20of%20mine' }
  const second = await startFrame('second', environment)
  second.app.get('/inner/:id', async () => 'inner')
  const secondUrl = await second.start()
  const first = await startFrame('first', environment)
  first.app.get('/outer/:cid', async () => {
    const later = bindSpan(() => currentSpan()?.traceId)
    await traceStep('work', { kind: 'internal' }, () => send(`${secondUrl}/inner/secret-path`, traceHeaders()))
    return new Promise((resolve) => setImmediate(() => resolve(later())))
  })
  const firstUrl = await first.start()
  const traceId = 'ab'.repeat(16)
  const answer = await fetch(`${firstUrl}/outer/secret-cid?token=secret-token`, {
    headers: { traceparent: `00-${traceId}-${'cd'.repeat(8)}-00` },
  })
  // Work in a later turn of the event loop belongs to the trace, too.
  expect(await answer.text()).toBe(traceId)
  await first.parts.disposeAsync()
  await second.parts.disposeAsync()

  const find = (name: string) => collector.spans.find((span) => span.name === name)
  const outer = find('GET /outer/:cid')
  const work = find('work')
  const client = find(`GET ${new URL(secondUrl).host}`)
  const inner = find('GET /inner/:id')
  expect([outer?.service, inner?.service]).toEqual(['first', 'second'])
  expect([outer, work, client, inner].map((span) => span?.traceId)).toEqual(Array(4).fill(traceId))
  expect([outer, work, client, inner].map((span) => span?.parentSpanId)).toEqual([
    'cd'.repeat(8),
    outer?.spanId,
    work?.spanId,
    work?.spanId,
  ])
  expect([outer, work, client, inner].map((span) => span?.kind)).toEqual([2, 1, 3, 2])
  expect(outer?.attributes).toMatchObject({ 'http.route': '/outer/:cid', 'http.response.status_code': 200 })
  // Operators find the trace of a log line, and the log line of a trace.
  const line = first.lines.map((text) => JSON.parse(text)).find(({ msg }) => msg === 'request')
  expect(line.trace).toBe(traceId)
  expect(outer?.attributes['cairn.request.id']).toBe(answer.headers.get('x-request-id'))
  expect(collector.headers).toContain('Bearer of mine')
  expect(collector.text()).not.toContain('secret')
  expect(collector.text()).not.toContain('of mine')
})

test('marks a failed step and a failed request, without the message', async () => {
  await using collector = await startCollector()
  const frame = await startFrame('failing', { CAIRN_TRACES_URL: collector.url })
  frame.app.get('/', () =>
    traceStep('step', { kind: 'internal' }, () => Promise.reject(new TypeError('a secret in the message'))),
  )
  expect((await fetch(await frame.start())).status).toBe(500)
  await frame.parts.disposeAsync()
  expect(collector.spans.map(({ name, status }) => [name, status.code])).toEqual([
    ['step', 2],
    ['GET /', 2],
  ])
  expect(collector.spans[0]?.attributes).toEqual({ 'error.type': 'TypeError' })
  expect(collector.text()).not.toContain('a secret')
})

test('creates no spans at a share of zero, whatever header a client sends', async () => {
  await using collector = await startCollector()
  const frame = await startFrame('quiet', { CAIRN_TRACES_URL: collector.url, CAIRN_TRACES_PERCENT: '0' })
  frame.app.get('/', async () => traceHeaders())
  const sent = { headers: { traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01` } }
  const received = await (await fetch(await frame.start(), sent)).json()
  expect(received).toEqual({ traceparent: expect.stringMatching(/^00-(ab){16}-.{16}-00$/) })
  await frame.parts.disposeAsync()
  expect(collector.spans).toEqual([])
})

test('an unreachable collector is one line in the log, and requests continue', async () => {
  const frame = await startFrame('alone', { CAIRN_TRACES_URL: 'http://127.0.0.1:9/v1/traces' })
  frame.app.get('/', async () => 'here')
  const url = await frame.start()
  for (let count = 0; count < 3; count++) expect(await (await fetch(url)).text()).toBe('here')
  await frame.parts.disposeAsync()
  const warnings = frame.lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40)
  expect(warnings.map(({ msg }) => msg)).toEqual(['traces were not sent'])
})

test('traces nothing without a URL', async () => {
  const frame = await startFrame('plain', {})
  frame.app.get('/', async () => ({ ...traceHeaders(), isTraced: currentSpan() !== undefined }))
  expect(await (await fetch(await frame.start())).json()).toEqual({ isTraced: false })
  await frame.parts.disposeAsync()
})

test.each([
  ['CAIRN_TRACES_URL', 'collector:4318', 'CAIRN_TRACES_URL must be an http or https URL'],
  ['CAIRN_TRACES_PERCENT', '101', 'CAIRN_TRACES_PERCENT must be a number from 0 to 100'],
  ['CAIRN_TRACES_HEADERS', 'my-password', 'CAIRN_TRACES_HEADERS must be pairs such as authorization=Bearer%20abc'],
  ['CAIRN_TRACES_HEADERS', 'a=%zz-my-password', 'CAIRN_TRACES_HEADERS must be pairs'],
  ['CAIRN_TRACES_HEADERS', 'a=%0d%0amy-password', 'CAIRN_TRACES_HEADERS must be pairs'],
])('rejects %s=%s without printing it', (name, value, message) => {
  const read = () => configure({ CAIRN_TRACES_URL: 'http://127.0.0.1:9', [name]: value })
  expect(read).toThrow(message)
  expect(read).not.toThrow('my-password')
})
