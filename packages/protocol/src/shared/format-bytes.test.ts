import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatBytes } from './format-bytes.ts'

test.each([
  [0, '0 B'],
  [1, '1 B'],
  [1023, '1023 B'],
  [1024, '1.00 KiB'],
  [1536, '1.50 KiB'],
  [10_235, '10.0 KiB'],
  [999 * 1024, '999 KiB'],
  [1024 * 1023.7, '1.00 MiB'],
  [1536 * 2 ** 30, '1.50 TiB'],
  [Number.MAX_SAFE_INTEGER, '8.00 PiB'],
  [-512 * 2 ** 20, '-512 MiB'],
])('%i bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

test('a size takes at most eight columns', () => {
  fc.assert(
    fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (bytes) => {
      expect(formatBytes(bytes).length).toBeLessThanOrEqual(8)
    }),
  )
})
