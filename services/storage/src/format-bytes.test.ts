import { expect, test } from 'vitest'
import { formatBytes } from './format-bytes.ts'

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.00 KiB'],
  [10_235, '10.0 KiB'],
  [1024 * 1023.7, '1.00 MiB'],
  [1536 * 2 ** 30, '1.50 TiB'],
  [-512 * 2 ** 20, '-512 MiB'],
])('%i bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))
