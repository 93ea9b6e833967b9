import { expect, test } from 'vitest'
import { fill, openDeals, waitMs } from '../deals/open-deals.fixture.ts'
import { testAddress } from '../uploads/open-test-context.suite.ts'
import { systemClock } from '../workers/worker.ts'
import { pipeline } from './pipeline.ts'
import { createPipelineWorkers } from './worker.ts'

test('each lane has a worker, and each provider its own, under the names of their leases', async () => {
  await using deals = await openDeals('sqlite', undefined)
  const names = createPipelineWorkers(deals.driving, systemClock).map(({ name }) => name)
  expect(names).toEqual(['pieces', 'deals', 'deals/one', 'deals/two', 'deals/six', 'retire'])
})

test('the worker of a lane also runs its hourly stages', async () => {
  await using deals = await openDeals('sqlite', undefined)
  const { db } = deals.test.context
  await deals.upload('a', fill(5000, 1))
  await deals.goOn(waitMs * 2)
  await db.write((trx) =>
    trx.insertInto('copy_policy').values({ address: testAddress, copies: 3, updated_at: 0 }).execute(),
  )
  const copies = async () => (await db.read.selectFrom('aggregate').select('copies').execute()).map((row) => row.copies)
  expect(await copies()).toEqual([2])
  const stop = new AbortController()
  const worker = createPipelineWorkers(deals.driving, systemClock).find(({ name }) => name === 'pieces')
  const running = worker?.run(stop.signal)
  try {
    await expect.poll(copies).toEqual([3])
  } finally {
    stop.abort()
    await running
  }
})

test('hourly stages of a lane follow those of each round', () => {
  for (const [at, stage] of pipeline.entries()) {
    const later = pipeline.slice(at).filter(({ lane }) => lane === stage.lane)
    if (stage.pace === 'hourly') expect(later.every(({ pace }) => pace === 'hourly')).toBe(true)
  }
})
