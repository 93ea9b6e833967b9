import { expect, test } from 'vitest'
import { columnWidths, maxColumns } from './column-widths.ts'

test('has a column for every value, including those in rows far below', () => {
  const rows = [...Array.from({ length: 300 }, () => ['one', 'two']), ['a', 'b', 'c']]
  expect(columnWidths(rows)).toEqual({ widths: Array.from({ length: 3 }, () => 'minmax(10ch, 10fr)'), isCut: false })
  expect(columnWidths([['a long value of a cell'], []]).widths).toEqual(['minmax(26ch, 26fr)'])
  expect(columnWidths([])).toEqual({ widths: [], isCut: false })
})

test('says that there are more columns than are shown', () => {
  const wide = columnWidths([Array.from({ length: maxColumns + 1 }, () => 'a')])
  expect(wide.isCut).toBe(true)
  expect(wide.widths).toHaveLength(maxColumns)
  expect(columnWidths([Array.from({ length: maxColumns }, () => 'a')]).isCut).toBe(false)
})
