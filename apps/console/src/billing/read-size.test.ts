import { expect, test } from 'vitest'
import { readSize } from './read-size.ts'

test('reads sizes as people write them, rounded up to whole bytes', () => {
  expect(readSize('10', 'GiB')).toBe(10 * 1024 ** 3)
  expect(readSize(' 1,5 ', 'MiB')).toBe(1.5 * 1024 ** 2)
  expect(readSize('.5', 'TiB')).toBe(1024 ** 4 / 2)
  expect(readSize('0.0000001', 'MiB')).toBe(1)
  expect(readSize('1024', 'TiB')).toBe(1024 ** 5)
})

test('rejects empty, negative, excessive and non-numeric sizes', () => {
  for (const text of ['', '0', '-1', '1e3', '1.2.3', 'ten', '1025', '9'.repeat(40)]) {
    expect(readSize(text, 'TiB')).toBeUndefined()
  }
})
