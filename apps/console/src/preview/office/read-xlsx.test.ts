import { expect, test } from 'vitest'
import { columnName, columnOf, formatSerial } from './read-xlsx.ts'

test('columns are numbers of base 26, from A', () => {
  expect([0, 25, 26, 701, 702].map(columnName)).toEqual(['A', 'Z', 'AA', 'ZZ', 'AAA'])
  expect(['A1', 'Z9', 'AA10', 'XFD1', undefined, '7'].map(columnOf)).toEqual([0, 25, 26, 16_383, undefined, undefined])
})

test('days since 1900 are dates, and fractions of them times', () => {
  const dayZero = Date.UTC(1899, 11, 30)
  expect(formatSerial(46_352, dayZero)).toBe('2026-11-26')
  expect(formatSerial(46_352.75, dayZero)).toBe('2026-11-26 18:00:00')
  expect(formatSerial(0.5, dayZero)).toBe('12:00:00')
  expect(formatSerial(Number.NaN, dayZero)).toBe('NaN')
})
