import { expect, test } from 'vitest'
import { columnName, columnOf } from './read-xlsx.ts'

test('columns are numbers in base 26, starting at A', () => {
  expect([0, 25, 26, 701, 702].map(columnName)).toEqual(['A', 'Z', 'AA', 'ZZ', 'AAA'])
  expect(['A1', 'Z9', 'AA10', 'XFD1', undefined, '7'].map(columnOf)).toEqual([0, 25, 26, 16_383, undefined, undefined])
})
