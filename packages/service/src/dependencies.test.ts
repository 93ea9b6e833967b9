import { CairnError } from '@cairn/protocol'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createDependencies } from './dependencies.ts'
import { openLog } from './log-lines.fixture.ts'
import { probeDependencies } from './probe-dependencies.ts'
import { createReadiness } from './readiness.ts'

function open() {
  const clock = { time: 1_000_000, now: () => clock.time }
  const registry = new Registry()
  const { log, lines } = openLog()
  return { clock, registry, log, lines, dependencies: createDependencies({ clock, log, registry }) }
}
const away = new CairnError('UPSTREAM_FAILED', { message: 'It is away' })

test('a dependency is unknown, then shows its last state, its age and the time of its last success', () => {
  const { clock, dependencies } = open()
  const id = { kind: 'endpoint', name: 'polygon', endpoint: 1 } as const
  const endpoint = dependencies.add(id)
  expect(dependencies.add(id)).toBe(endpoint)
  expect(dependencies.report()).toEqual([{ ...id, state: 'unknown' }])
  endpoint.succeeded()
  clock.time += 5_000
  endpoint.succeeded()
  clock.time += 5_000
  endpoint.failed(away)
  clock.time += 5_000
  endpoint.failed(new TypeError('https://host/secret'))
  expect(dependencies.report()).toEqual([
    {
      ...id,
      state: 'failed',
      since: 1_010_000,
      lastSuccessAt: 1_005_000,
      reason: 'unexpected failure',
    },
  ])
  endpoint.succeeded()
  expect(dependencies.report()).toEqual([{ ...id, state: 'ok', since: 1_015_000, lastSuccessAt: 1_015_000 }])
})

test('exports up, last success and failures for Prometheus', async () => {
  const { dependencies, registry } = open()
  const provider = dependencies.add({ kind: 'provider', name: 'first' })
  const labels = 'kind="provider",name="first",endpoint=""'
  expect(await registry.metrics()).toContain(`cairn_dependency_failures_total{${labels}} 0`)
  provider.succeeded()
  provider.failed(away)
  provider.failed(away)
  const text = await registry.metrics()
  expect(text).toContain(`cairn_dependency_up{${labels}} 0`)
  expect(text).toContain(`cairn_dependency_last_success_timestamp_seconds{${labels}} 1000`)
  expect(text).toContain(`cairn_dependency_failures_total{${labels}} 2`)
})

test('a failed dependency is visible, and the service stays ready', async () => {
  const { dependencies, log } = open()
  dependencies.add({ kind: 'keyNode', name: '3' }).failed(away)
  const readiness = createReadiness({ database: async () => undefined }, log, dependencies)
  expect(await readiness.check()).toEqual({ database: 'ok' })
  expect(readiness.dependencies()).toMatchObject([
    { kind: 'keyNode', name: '3', state: 'failed', reason: 'It is away' },
  ])
})

test('a failed part that requests need makes the service unready, and is logged once', async () => {
  const { log, lines } = open()
  const readiness = createReadiness({ database: () => Promise.reject(away) }, log)
  for (let i = 0; i < 5; i++) await expect(readiness.check()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(lines()).toMatchObject([{ msg: 'component unavailable', part: 'database' }])
})

test('a part that only uploads need fails their check alone, and each change is logged once', async () => {
  const { log, lines } = open()
  let isStandby = true
  const probe = async (purpose: 'reads' | 'all') => {
    if (isStandby && purpose === 'all') throw away
  }
  const readiness = createReadiness({ database: probe }, log)
  for (let i = 0; i < 3; i++) {
    expect(await readiness.check('reads')).toEqual({ database: 'ok' })
    await expect(readiness.check()).rejects.toMatchObject({ details: { parts: { database: 'failed' } } })
  }
  isStandby = false
  expect(await readiness.check()).toEqual({ database: 'ok' })
  expect(lines()).toMatchObject([
    { msg: 'component unavailable', part: 'database', for: 'all' },
    { msg: 'component available again', part: 'database', for: 'all' },
  ])
})

test('probes an idle dependency periodically, but not a recently used one', async () => {
  const { clock, dependencies, lines } = open()
  const idle = dependencies.add({ kind: 'provider', name: 'idle' })
  const busy = dependencies.add({ kind: 'provider', name: 'busy' })
  busy.succeeded()
  const probed: string[] = []
  let isOffline = true
  {
    await using _probes = probeDependencies(
      [
        {
          dependency: idle,
          probe: async () => {
            probed.push('idle')
            if (isOffline) throw away
          },
        },
        { dependency: busy, probe: async () => void probed.push('busy') },
      ],
      clock,
      { everyMs: 20, retryMs: 20, timeoutMs: 1_000 },
    )
    await expect.poll(() => dependencies.report()[0]?.state).toBe('failed')
    isOffline = false
    clock.time += 15
    busy.succeeded()
    clock.time += 10
    await expect.poll(() => dependencies.report()[0]?.state).toBe('ok')
    expect(probed).not.toContain('busy')
  }
  // No probe starts after the end, and the result of a running one is ignored.
  const { length } = probed
  clock.time += 1_000
  await new Promise((resolve) => setImmediate(resolve))
  expect(probed).toHaveLength(length)
  expect(lines().map(({ msg }) => msg)).toEqual(['storage provider unavailable', 'storage provider available again'])
})
