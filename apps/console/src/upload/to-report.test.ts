import { expect, test } from 'vitest'
import { toReport } from './to-report.ts'

const step = { bytes: 50, total: 100, bytesPerSecond: 10, remainingMs: 5_000 }

test('every stage says what it waits for, including the last', () => {
  expect(toReport({ ...step, phase: 'prepare' }, false).stage).toBe('checking')
  expect(toReport({ ...step, phase: 'prepare' }, true).stage).toBe('encrypting')
  expect(toReport({ ...step, phase: 'keys' }, true).stage).toBe('keys')
  expect(toReport({ ...step, phase: 'send' }, false)).toMatchObject({ stage: 'sending', bytes: 50, remainingMs: 5_000 })
  expect(toReport({ ...step, phase: 'send', bytes: 100 }, false).stage).toBe('storing')
})

test('an upload of unknown size never shows as finished', () => {
  expect(toReport({ ...step, phase: 'send', total: undefined }, false).stage).toBe('sending')
})
