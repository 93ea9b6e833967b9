import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'

test('measures the delay of the event loop rarely, because every measurement wakes an idle process', async () => {
  const { registry } = createMetrics()
  await delay(250)
  const shortest = /^nodejs_eventloop_lag_min_seconds (.*)$/m.exec(await registry.metrics())?.[1]
  expect(Number(shortest)).toBeGreaterThan(0.05)
})
