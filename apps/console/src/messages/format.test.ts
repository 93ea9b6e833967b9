import { expect, test } from 'vitest'
import {
  formatAgo,
  formatByteRange,
  formatBytes,
  formatDuration,
  formatUntil,
  formatUsd,
  joinSentences,
  shorten,
  withUnit,
} from './format.ts'

test('formats bytes in powers of 1024, and never as 1,024 of a smaller unit', () => {
  expect(formatBytes(0)).toBe('0\u00a0B')
  expect(formatBytes(1023)).toBe('1,023\u00a0B')
  expect(formatBytes(1024)).toBe('1\u00a0KiB')
  expect(formatBytes(1536)).toBe('1.5\u00a0KiB')
  expect(formatBytes(1024 * 1024 - 1)).toBe('1\u00a0MiB')
  expect(formatBytes(100 * 1024 ** 3)).toBe('100\u00a0GiB')
})

test('an approximate size shows only the digits that its bounds share', () => {
  const between = (minBytes: number, maxBytes: number) => formatByteRange({ minBytes, maxBytes })
  expect(between(7, 7)).toBe('7\u00a0B')
  expect(between(100, 220)).toBe('<\u00a01\u00a0KiB')
  expect(between(1000, 1120)).toBe('1\u00a0KiB')
  expect(between(12_500, 12_620)).toBe('12\u00a0KiB')
  expect(between(5_000_000, 5_000_700)).toBe('4.8\u00a0MiB')
})

test('never breaks a line between an amount and its unit', () => {
  expect(withUnit('1.5', 'ETH')).toBe('1.5\u00a0ETH')
})

test('keeps the significant digits of small amounts of money', () => {
  expect(formatUsd(0)).toBe('$0.00')
  expect(formatUsd(0.00390625)).toBe('$0.0039')
  expect(formatUsd(12.8)).toBe('$12.80')
})

test('formats times by their distance', () => {
  const now = Date.UTC(2026, 0, 31)
  expect(formatAgo(now - 5_000, now)).toBe('just now')
  expect(formatAgo(now, now)).toBe('just now')
  // From a service whose clock is slightly ahead.
  expect(formatAgo(now + 5_000, now)).toBe('just now')
  expect(formatUntil(now + 5_000, now)).toBe('in less than a minute')
  expect(formatUntil(now, now)).toBe('just now')
  expect(formatUntil(now + 3_600_000, now)).toBe('in 1 hour')
  expect(formatAgo(now - 5 * 60_000, now)).toBe('5 minutes ago')
  expect(formatAgo(now - 119 * 60_000, now)).toBe('1 hour ago')
  expect(formatAgo(now + 2 * 86_400_000, now)).toBe('in 2 days')
  // A moment after a link for 7 days, and keys for 12 and 24 hours, were created.
  expect(formatAgo(now + 7 * 86_400_000 - 1_000, now)).toBe('in 7 days')
  expect(formatAgo(now + 12 * 3_600_000 - 1_000, now)).toBe('in 12 hours')
  expect(formatAgo(now + 86_400_000 - 1_000, now)).toBe('tomorrow')
  expect(formatAgo(Date.UTC(2025, 5, 1), now)).toBe('Jun 1, 2025')
})

test('rounds time left up, so that it is never zero', () => {
  expect(formatDuration(1)).toBe('1\u00a0s')
  expect(formatDuration(95_000)).toBe('2\u00a0min')
  expect(formatDuration(7_800_000)).toBe('2\u00a0h 10\u00a0min')
})

test('keeps short texts unchanged', () => {
  expect(shorten('abc')).toBe('abc')
  expect(shorten('bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e')).toBe('bafkreif…f36n5e')
})

test('joins sentences with one full stop and keeps the dots within them', () => {
  expect(joinSentences('A path must not contain ".."', 'Use relative names.')).toBe(
    'A path must not contain "..". Use relative names.',
  )
  expect(joinSentences('The service is offline.', 'Try again.')).toBe('The service is offline. Try again.')
  expect(joinSentences('Is it there?', 'Look.')).toBe('Is it there? Look.')
})
