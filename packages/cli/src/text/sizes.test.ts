import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatBytes, formatDuration, parseBytes } from './sizes.ts'

test.each([
  [0, '0 B'],
  [1, '1 B'],
  [1023, '1023 B'],
  [1024, '1.00 KiB'],
  [1536, '1.50 KiB'],
  [10 * 1024, '10.0 KiB'],
  [999 * 1024, '999 KiB'],
  [1024 ** 2 - 1, '1.00 MiB'],
  [5 * 1024 ** 3, '5.00 GiB'],
  [Number.MAX_SAFE_INTEGER, '8.00 PiB'],
])('%i bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

test('a size takes at most eight columns', () => {
  fc.assert(
    fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (bytes) => {
      expect(formatBytes(bytes).length).toBeLessThanOrEqual(8)
    }),
  )
})

test('reports a size beyond the number range as too large, not as unreadable', () => {
  expect(parseBytes('8191TiB')).toBe(8191 * 1024 ** 4)
  expect(() => parseBytes('8192TiB')).toThrow('"8192TiB" is too large')
  expect(() => parseBytes('many')).toThrow('"many" is not a size')
  expect(() => parseBytes('0')).toThrow('"0" is not a size')
})

test.each([
  [0, '0 s'],
  [900, '1 s'],
  [59_000, '59 s'],
  [185_000, '3 min 05 s'],
  [7_800_000, '2 h 10 min'],
])('%i ms are %s', (ms, text) => expect(formatDuration(ms)).toBe(text))
