import { Readable } from 'node:stream'
import { getHealth } from '@cairn/protocol'
import type { FastifyReply } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { listenerSettings, readListenerConfig } from '../listener-settings.ts'
import { levels, openLog } from '../log-lines.fixture.ts'
import { createReadiness } from '../readiness.ts'
import { readSettings } from '../settings.ts'
import { createServiceApp } from './app.ts'
import { listen } from './connections/listen.ts'
import { createMetrics } from './metrics.ts'
import { createRateLimiter } from './rate-limits.ts'
import { routeCall } from './route.ts'

/** A service whose one call is aborted while its handler runs; the handler answers after the error was sent. */
async function answerLate(send: (reply: FastifyReply) => FastifyReply) {
  const { log, lines } = openLog()
  const metrics = createMetrics()
  const stop = new AbortController()
  const app = createServiceApp({
    log,
    metrics,
    readiness: createReadiness({}, log),
    stop: stop.signal,
    listener: readListenerConfig(readSettings(listenerSettings, {}, { foreign: new Set() }), 0),
    publicUrl: undefined,
    dialect: 'api',
  })
  onTestFinished(() => app.close())
  const started = Promise.withResolvers<void>()
  const continued = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  routeCall(app, { metrics, rates: createRateLimiter(0, { now: () => 0 }) }, getHealth, async ({ reply }) => {
    started.resolve()
    await continued.promise
    try {
      return send(reply)
    } finally {
      ended.resolve()
    }
  })
  const response = fetch(`${await listen(app, '127.0.0.1', 0)}${getHealth.path}`)
  await started.promise
  stop.abort()
  const { status } = await response
  continued.resolve()
  await ended.promise
  return { status, lines: lines().filter(({ level }) => level >= levels.warn) }
}

test('does not send a response after the error of an aborted call', async () => {
  const { status, lines } = await answerLate((reply) => reply.send('{}'))
  expect(status).toBe(503)
  expect(lines.map(({ msg }) => msg)).toEqual(['request failed'])
})

test('ends a stream that comes too late', async () => {
  const stream = Readable.from(['late'])
  const { lines } = await answerLate((reply) => reply.header('x-late', '1').send(stream))
  expect(stream.destroyed).toBe(true)
  expect(lines).toHaveLength(1)
})
