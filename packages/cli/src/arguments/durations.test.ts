import { expect, test } from 'vitest'
import { parseDuration } from './durations.ts'

test.each([
  ['90s', 90_000],
  ['5m', 300_000],
  ['48H', 172_800_000],
  [' 30 d ', 2_592_000_000],
  ['0s', 0],
])('%j is %i ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

test.each(['', '5', 'm', '1.5h', '-1s', '5 minutes', '1e3s', '9999999999s'])('%j is refused', (text) => {
  expect(() => parseDuration(text)).toThrow(expect.objectContaining({ code: 'USAGE' }))
})
