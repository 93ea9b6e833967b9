import { expect, test } from 'vitest'
import { formatDuration, parseBytes } from './sizes.ts'

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
