import { expect, test } from 'vitest'
import { formatTime, isTimeField, toJsonLine } from './times.ts'

const time = Date.UTC(2026, 10, 28, 19, 18, 22, 345)

test('shows times to users in UTC, to the second', () => {
  expect(formatTime(time)).toBe('2026-11-28 19:18:22Z')
  expect(new Date(formatTime(time)).getTime()).toBe(time - 345)
  expect([formatTime(null), formatTime(undefined)]).toEqual(['–', '–'])
})

test('prints times to programs as ISO 8601, at any depth, and other numbers unchanged', () => {
  const iso = '2026-11-28T19:18:22.345Z'
  const rows = [
    { createdAt: time, silentSince: null, copies: 3, lastChange: { at: time }, since: time, validUntil: time },
  ]
  expect(JSON.parse(toJsonLine({ rows, lastUpdate: time, expiresAt: 'never', format: 2, minimumCount: 5 }))).toEqual({
    rows: [{ createdAt: iso, silentSince: null, copies: 3, lastChange: { at: iso }, since: iso, validUntil: iso }],
    lastUpdate: iso,
    expiresAt: 'never',
    format: 2,
    minimumCount: 5,
  })
  expect(toJsonLine({ expiresAt: Number.MAX_SAFE_INTEGER })).toBe(`{"expiresAt":${Number.MAX_SAFE_INTEGER}}`)
  expect([isTimeField('usedAt', 1), isTimeField('usedAt', '1'), isTimeField('format', 1)]).toEqual([true, false, false])
})
