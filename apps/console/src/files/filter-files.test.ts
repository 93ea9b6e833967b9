import * as v from 'valibot'
import { expect, test } from 'vitest'
import { filesSearchSchema } from './files-search.ts'
import { createMatcher, isNarrowed, toFilter, toggleKind } from './filter-files.ts'

test('ignores invalid values in an address', () => {
  expect(v.parse(filesSearchSchema, { q: 'cat', sort: 'nonsense', view: 7, other: 1 })).toEqual({ q: 'cat' })
})

test('lists sort newest first, names from A to Z', () => {
  expect(toFilter({})).toEqual({ sort: 'createdAt', order: 'desc' })
  expect(toFilter({ sort: 'fileName' })).toEqual({ sort: 'fileName', order: 'asc' })
  expect(toFilter({ sort: 'fileName', order: 'desc', q: 'a', access: 'encrypted' })).toEqual({
    sort: 'fileName',
    order: 'desc',
    search: 'a',
    fileType: 'encrypted',
  })
})

test('kinds appear in the address in one order, each once; unknown ones are dropped', () => {
  const both = toggleKind(toggleKind({}, 'text'), 'image')
  expect(both.type).toBe('image,text')
  expect(toggleKind(both, 'image').type).toBe('text')
  expect(toggleKind({ type: 'text' }, 'text').type).toBeUndefined()
  expect(v.parse(filesSearchSchema, { type: 'text,nonsense,image,text' })).toEqual({ type: 'image,text' })
  expect(v.parse(filesSearchSchema, { type: 'nonsense' }).type).toBeUndefined()
  expect(isNarrowed(v.parse(filesSearchSchema, { type: 'nonsense', sort: 'fileName' }))).toBe(false)
  expect(toFilter({ type: 'image,text', access: 'public' }).fileType).toBe('image/,text/,application/json,public')
})

test('finds CIDs by their start, in any case except for version 0', () => {
  const found = (q: string, cid: string) =>
    createMatcher({ q })({
      id: 'one',
      cid,
      fileName: 'plan.txt',
      fileSizeInBytes: '1',
      mimeType: null,
      createdAt: 0,
      encryption: false,
    })
  const current = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
  expect([' bafkreigh2a ', 'BAFKREIGH2A', 'kreigh'].map((q) => found(q, current))).toEqual([true, true, false])
  const first = 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH'
  expect(['QmbFMke1', 'Qmbfmke1', 'qmbfmke1', 'QMBFMKE1'].map((q) => found(q, first))).toEqual([
    true,
    false,
    false,
    false,
  ])
})
