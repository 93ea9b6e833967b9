import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildUsageHistory, pickTicks } from './usage-history.ts'

const noonOf = (day: number) => new Date(2026, 0, day, 12).getTime()
const endOf = (day: number) => new Date(2026, 0, day + 1).getTime() - 1

test('derives the state at the end of each day backwards from the current one', () => {
  const changes = [
    { at: noonOf(2), limitBytes: 100 },
    { at: noonOf(4), usedBytes: 20 },
    { at: noonOf(2) + 1, usedBytes: 5 },
    { at: noonOf(5), limitBytes: 50 },
  ]
  expect(buildUsageHistory({ usedBytes: 25, limitBytes: 150, changes, now: noonOf(5) + 1 })).toEqual([
    { at: endOf(1), usedBytes: 0, limitBytes: 0 },
    { at: endOf(2), usedBytes: 5, limitBytes: 100 },
    { at: endOf(3), usedBytes: 5, limitBytes: 100 },
    { at: endOf(4), usedBytes: 25, limitBytes: 100 },
    { at: noonOf(5) + 1, usedBytes: 25, limitBytes: 150 },
  ])
})

test('has one point for each day, at most ninety, never negative, ending now', () => {
  const change = fc.record({ at: fc.nat(200).map(noonOf), usedBytes: fc.nat(), limitBytes: fc.nat() })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 100 }), fc.nat(), fc.nat(), (changes, usedBytes, limitBytes) => {
      const now = noonOf(201)
      const points = buildUsageHistory({ usedBytes, limitBytes, changes, now })
      expect(points.length).toBeLessThanOrEqual(90)
      expect(points.at(-1)).toEqual({ at: now, usedBytes, limitBytes })
      const days = points.map(({ at }) => new Date(at).toDateString())
      expect(days).toEqual([...new Set(days)])
      for (const { usedBytes: used, limitBytes: limit } of points) {
        expect(Math.min(used, limit)).toBeGreaterThanOrEqual(0)
      }
    }),
  )
})

test('divides an axis by powers of two that cover the largest value', () => {
  expect(pickTicks(100)).toEqual([0, 32, 64, 96, 128])
  expect(pickTicks(1)).toEqual([0, 1])
  fc.assert(
    fc.property(fc.nat(2 ** 40), (max) => {
      const ticks = pickTicks(max)
      expect(ticks.length).toBeLessThanOrEqual(5)
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(max)
    }),
  )
})
