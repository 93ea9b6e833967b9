import { expect, test } from 'vitest'
import { readByteRange } from './byte-range.ts'

test('reads the ranges that players send', () => {
  expect(readByteRange('bytes=0-', 100)).toEqual({ fromByte: 0, toByte: 100 })
  expect(readByteRange('bytes=10-19', 100)).toEqual({ fromByte: 10, toByte: 20 })
  expect(readByteRange('bytes=90-500', 100)).toEqual({ fromByte: 90, toByte: 100 })
})

test('answers a range outside the file, and ignores anything but a single range', () => {
  for (const header of ['bytes=100-', 'bytes=20-10']) expect(readByteRange(header, 100)).toBe('unsatisfiable')
  expect(readByteRange('bytes=0-', 0)).toBe('unsatisfiable')
  for (const header of [null, '', 'bytes=-5', 'bytes=0-1,4-5', 'items=0-1']) {
    expect(readByteRange(header, 100)).toBeUndefined()
  }
})
