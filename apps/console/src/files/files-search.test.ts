import * as v from 'valibot'
import { expect, test } from 'vitest'
import { filesSearchSchema, toFilter } from './files-search.ts'

test('what an address says wrongly counts as not said', () => {
  expect(v.parse(filesSearchSchema, { q: 'cat', sort: 'nonsense', view: 7, other: 1 })).toEqual({ q: 'cat' })
})

test('a list is newest first, names go from the top of the alphabet', () => {
  expect(toFilter({})).toEqual({ sort: 'createdAt', order: 'desc' })
  expect(toFilter({ sort: 'fileName' })).toEqual({ sort: 'fileName', order: 'asc' })
  expect(toFilter({ sort: 'fileName', order: 'desc', q: 'a', access: 'encrypted' })).toEqual({
    sort: 'fileName',
    order: 'desc',
    search: 'a',
    fileType: 'encrypted',
  })
})
