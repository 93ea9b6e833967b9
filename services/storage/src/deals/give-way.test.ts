import { MIB } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { fill, openDeals } from './open-deals.fixture.ts'

test('providers receive nothing until uploads have been quiet for half a second', async () => {
  const waits = {
    ms: 0,
    now: () => waits.ms,
    async sleep(ms: number) {
      expect(deals.keepers()).toEqual([])
      waits.ms += ms
    },
  }
  await using deals = await openDeals('sqlite', undefined, {}, { priorityClock: waits })
  await deals.upload('first', fill(3 * MIB, 1))
  expect(waits.ms).toBe(0)
  await deals.goOn(20_000)
  expect(deals.keepers()).toHaveLength(2)
  expect(waits.ms).toBe(500)
})
