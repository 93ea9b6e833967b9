import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildUsageHistory } from './usage-history.ts'

test('derives the history backwards from the current state', () => {
  const changes = [
    { at: 10, limitBytes: 100 },
    { at: 30, usedBytes: 20 },
    { at: 20, usedBytes: 5 },
    { at: 40, limitBytes: 50 },
  ]
  expect(buildUsageHistory({ usedBytes: 25, limitBytes: 150, changes, now: 50 })).toEqual([
    { at: 10, usedBytes: 0, limitBytes: 100 },
    { at: 20, usedBytes: 5, limitBytes: 100 },
    { at: 30, usedBytes: 25, limitBytes: 100 },
    { at: 40, usedBytes: 25, limitBytes: 150 },
    { at: 50, usedBytes: 25, limitBytes: 150 },
  ])
})

test('reduces any number of changes to few points, in order of time, never negative, ending now', () => {
  const change = fc.record({ at: fc.nat(1000), usedBytes: fc.nat(), limitBytes: fc.nat() })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 500 }), fc.nat(), fc.nat(), (changes, usedBytes, limitBytes) => {
      const points = buildUsageHistory({ usedBytes, limitBytes, changes, now: 1000 })
      expect(points.length).toBeLessThanOrEqual(121)
      expect(points.at(-1)).toEqual({ at: 1000, usedBytes, limitBytes })
      for (const [index, { at, usedBytes: used, limitBytes: limit }] of points.entries()) {
        expect(at).toBeGreaterThanOrEqual(points[index - 1]?.at ?? 0)
        expect(Math.min(used, limit)).toBeGreaterThanOrEqual(0)
      }
    }),
  )
})
