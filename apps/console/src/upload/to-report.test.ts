import { expect, test } from 'vitest'
import { toReport } from './to-report.ts'

const step = { bytes: 50, total: 100, bytesPerSecond: 10, remainingMs: 5_000 }

test('each stage says what it waits for: no upload stands still at its end without a word', () => {
  expect(toReport({ ...step, phase: 'prepare' }, false).stage).toBe('checking')
  expect(toReport({ ...step, phase: 'prepare' }, true).stage).toBe('encrypting')
  expect(toReport({ ...step, phase: 'keys' }, true).stage).toBe('keys')
  expect(toReport({ ...step, phase: 'send' }, false)).toMatchObject({ stage: 'sending', bytes: 50, remainingMs: 5_000 })
  expect(toReport({ ...step, phase: 'send', bytes: 100 }, false).stage).toBe('storing')
})

test('where the size is not known, sending is never taken for the end', () => {
  expect(toReport({ ...step, phase: 'send', total: undefined }, false).stage).toBe('sending')
})
