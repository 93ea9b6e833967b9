import { expect, test } from 'vitest'
import { parseTable } from './parse-table.ts'

test('parses quoted fields with separators, quotes and line breaks, and both kinds of line ends', () => {
  expect(parseTable('a,"b, ""c""\nd"\r\n1,\n', ',', false)).toEqual([
    ['a', 'b, "c"\nd'],
    ['1', ''],
  ])
  expect(parseTable('\uFEFFa\tb\n1,5\t2', '\t', false)).toEqual([
    ['a', 'b'],
    ['1,5', '2'],
  ])
})

test('uses semicolons if the first line has them, skips empty lines, and omits a truncated row', () => {
  expect(parseTable('a;b\n\n1,5;2\n', ',', false)).toEqual([
    ['a', 'b'],
    ['1,5', '2'],
  ])
  expect(parseTable('a,b\n1,2\n3,', ',', true)).toEqual([
    ['a', 'b'],
    ['1', '2'],
  ])
  expect(parseTable('a,"open', ',', false)).toEqual([['a', 'open']])
})
