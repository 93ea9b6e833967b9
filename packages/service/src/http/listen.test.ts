import { CairnError } from '@cairn/protocol'
import pino from 'pino'
import { expect, test } from 'vitest'
import { listenerSettings, readListenerConfig } from '../listener-settings.ts'
import { createReadiness } from '../readiness.ts'
import { readSettings } from '../settings.ts'
import { createServiceApp } from './app.ts'
import { registerHealthRoutes } from './health-routes.ts'
import { endApps, listen } from './listen.ts'
import { createMetrics } from './metrics.ts'
import { createRateLimiter } from './rate-limits.ts'

const log = pino({ level: 'silent' })

/** A service of nothing but its frame. */
async function startFrame(environment: Record<string, string>) {
  const limits = readListenerConfig(readSettings(listenerSettings, environment, { foreign: new Set() }), 0)
  const readiness = createReadiness({}, log)
  const stop = new AbortController()
  const metrics = createMetrics()
  const app = createServiceApp({
    log,
    metrics,
    readiness,
    stop: stop.signal,
    listener: limits,
    isSecure: false,
    dialect: 'api',
  })
  registerHealthRoutes(app, { metrics, rates: createRateLimiter(0, { now: () => 0 }) }, readiness, 'test')
  const url = await listen(app, '127.0.0.1', 0)
  const ask = async (path: string) => {
    const answer = await fetch(url + path)
    await answer.arrayBuffer()
    return answer
  }
  return {
    ask,
    readiness,
    end: (wait: (ms: number) => Promise<unknown>) => endApps([app], { readiness, stop, limits, wait }),
  }
}

test('a service that drains is not ready, still answers on new connections, and ends after that', async () => {
  const frame = await startFrame({ CAIRN_DRAIN_SECONDS: '20' })
  expect((await frame.ask('/readyz')).status).toBe(200)
  const drained = Promise.withResolvers<void>()
  let waitedMs = 0
  const ended = frame.end((ms) => {
    waitedMs = ms
    return drained.promise
  })
  expect(waitedMs).toBe(20_000)
  expect((await frame.ask('/readyz')).status).toBe(503)
  const health = await frame.ask('/healthz')
  expect(health.status).toBe(200)
  // The client is to come back by another way.
  expect(health.headers.get('connection')).toBe('close')
  expect((await frame.ask('/nowhere')).status).toBe(404)
  drained.resolve()
  await ended
  expect(frame.readiness.isStopping).toBe(true)
  await expect(frame.ask('/healthz')).rejects.toThrow()
})

test('a port of metrics that does not exist is refused by name', () => {
  const values = readSettings(listenerSettings, {}, { foreign: new Set() })
  expect(readListenerConfig(values, 8080).metrics).toEqual({ host: '127.0.0.1', port: 8180 })
  expect(readListenerConfig(values, 0).metrics).toEqual({ host: '127.0.0.1', port: 0 })
  expect(() => readListenerConfig(values, 65_500)).toThrow(CairnError)
  expect(() => readListenerConfig(values, 65_500)).toThrow('CAIRN_METRICS_PORT')
})
