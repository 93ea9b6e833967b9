import { expect, test } from 'vitest'
import { createEvaluationRate } from './evaluation-rate.ts'

function allowed(factor: number | undefined): number {
  const rate = createEvaluationRate({ now: () => 0 }, factor)
  for (let used = 0; used < 100; used++) {
    try {
      rate.count('me')
    } catch {
      return used
    }
  }
  return 100
}

test('allows ten per minute, times the factor of the operator', () => {
  expect([allowed(undefined), allowed(2), allowed(0)]).toEqual([10, 20, 100])
})

test('counts each address separately, and resets after a minute', () => {
  const clock = { time: 0, now: () => clock.time }
  const rate = createEvaluationRate(clock)
  for (let turn = 0; turn < 10; turn++) rate.count('me')
  rate.count('you')
  clock.time = 59_000
  expect(() => rate.count('me')).toThrow(expect.objectContaining({ code: 'RATE_LIMITED', retryAfterSeconds: 1 }))
  clock.time = 60_000
  rate.count('me')
})

test('a clock that is set back does not extend the wait', () => {
  const clock = { time: 3_600_000, now: () => clock.time }
  const rate = createEvaluationRate(clock)
  for (let turn = 0; turn < 10; turn++) rate.count('me')
  clock.time = 0
  for (let turn = 0; turn < 10; turn++) rate.count('me')
  expect(() => rate.count('me')).toThrow(expect.objectContaining({ code: 'RATE_LIMITED', retryAfterSeconds: 60 }))
})
