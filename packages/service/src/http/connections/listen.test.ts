import { once } from 'node:events'
import { connect } from 'node:net'
import { CairnError } from '@cairn/protocol'
import fastify from 'fastify'
import pino from 'pino'
import { expect, test } from 'vitest'
import { listenerSettings, readListenerConfig } from '../../listener-settings.ts'
import { createReadiness } from '../../readiness.ts'
import { readSettings } from '../../settings.ts'
import { createServiceApp } from '../app.ts'
import { registerHealthRoutes } from '../health-routes.ts'
import { createMetrics } from '../metrics.ts'
import { createRateLimiter } from '../rate-limits.ts'
import { endApps, listen } from './listen.ts'

const log = pino({ level: 'silent' })

/** A service without its own routes. */
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
    publicUrl: undefined,
    dialect: 'api',
  })
  registerHealthRoutes(app, { metrics, rates: createRateLimiter(0, { now: () => 0 }) }, readiness, 'test')
  const url = await listen(app, '127.0.0.1', 0)
  const fetchPath = async (path: string) => {
    const answer = await fetch(url + path)
    await answer.arrayBuffer()
    return answer
  }
  return {
    url,
    fetchPath,
    readiness,
    stop: stop.signal,
    end: (wait: (ms: number) => Promise<unknown>) => endApps([app], { readiness, stop, limits, wait }),
  }
}

test('a draining service is not ready, still answers on new connections, and then exits', async () => {
  const frame = await startFrame({ CAIRN_DRAIN_SECONDS: '20' })
  expect((await frame.fetchPath('/readyz')).status).toBe(200)
  const drained = Promise.withResolvers<void>()
  let waitedMs = 0
  const ended = frame.end((ms) => {
    waitedMs = ms
    return drained.promise
  })
  expect(waitedMs).toBe(20_000)
  expect((await frame.fetchPath('/readyz')).status).toBe(503)
  const health = await frame.fetchPath('/healthz')
  expect(health.status).toBe(200)
  // The client must open a new connection.
  expect(health.headers.get('connection')).toBe('close')
  expect((await frame.fetchPath('/nowhere')).status).toBe(404)
  drained.resolve()
  await ended
  expect(frame.readiness.isStopping).toBe(true)
  await expect(frame.fetchPath('/healthz')).rejects.toThrow()
})

test('a service that stops does not wait for connections without a request', async () => {
  const frame = await startFrame({ CAIRN_DRAIN_SECONDS: '0' })
  const { hostname, port } = new URL(frame.url)
  const spare = connect(Number(port), hostname)
  await once(spare, 'connect')
  const closed = once(spare, 'close')
  // The service has it when it answers on a later one.
  await frame.fetchPath('/healthz')
  await frame.end(async () => undefined)
  await closed
  expect(frame.stop.aborted).toBe(false)
})

test('rejects an invalid metrics port by name', () => {
  const values = readSettings(listenerSettings, {}, { foreign: new Set() })
  expect(readListenerConfig(values, 8080).metrics).toEqual({ host: '127.0.0.1', port: 8180 })
  expect(readListenerConfig(values, 0).metrics).toEqual({ host: '127.0.0.1', port: 0 })
  expect(() => readListenerConfig(values, 65_500)).toThrow(CairnError)
  expect(() => readListenerConfig(values, 65_500)).toThrow('CAIRN_METRICS_PORT')
})

test.each([
  ['203.0.113.1', 'EADDRNOTAVAIL'],
  ['host.invalid', 'ENOTFOUND'],
])('a host that does not belong to this machine (%s) is an error that names its setting', async (host, code) => {
  const app = fastify()
  const settings = { host: 'CAIRN_HOST', port: 'CAIRN_PORT' }
  const failure: unknown = await listen(app, host, 0, settings).catch((error: unknown) => error)
  expect(failure).toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: `Port 0 on ${host} is not available: the host is not an address of this machine`,
    hint: 'Choose an address of this machine with CAIRN_HOST.',
    cause: { code },
  })
  await app.close()
})
