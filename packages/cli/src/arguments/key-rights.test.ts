import { expect, test } from 'vitest'
import { parseExpiry, parseScopes } from './key-rights.ts'

const now = Date.UTC(2026, 10, 22)

test('accepts all scopes, or a list of known ones', () => {
  expect(parseScopes(undefined)).toEqual(['files:read', 'files:write', 'account'])
  expect(parseScopes('account, files:read')).toEqual(['files:read', 'account'])
  for (const wrong of ['', 'files', 'files:read,', 'files:read,admin']) {
    expect(() => parseScopes(wrong), wrong).toThrow('Unknown scope')
  }
})

test('accepts a duration, a day, a moment or never as expiry', () => {
  expect(parseExpiry('never', now)).toBeNull()
  expect(parseExpiry('30d', now)).toBe(now + 30 * 24 * 3_600_000)
  expect(parseExpiry('2027-01-31', now)).toBe(Date.UTC(2027, 0, 31))
  expect(parseExpiry('2027-01-31T12:30Z', now)).toBe(Date.UTC(2027, 0, 31, 12, 30))
  for (const wrong of ['', 'soon', '30', '0d', '2026-11-22', '2020-01-01', '2027-02-31x', '2027-13-01', 'Never']) {
    expect(() => parseExpiry(wrong, now), wrong).toThrow(/--expires/)
  }
})

test('reports a day or a time that does not exist, instead of using another or calling it past', () => {
  for (const wrong of ['2027-02-30', '2027-02-30T12:00Z', '2027-13-01', '2027-01-31T25:00Z'])
    expect(() => parseExpiry(wrong, now), wrong).toThrow(`Invalid value for --expires: "${wrong}"`)
  expect(parseExpiry('2028-02-29', now)).toBe(Date.UTC(2028, 1, 29))
})
