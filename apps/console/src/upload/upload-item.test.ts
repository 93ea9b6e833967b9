import { expect, test } from 'vitest'
import { findNameFaults, splitFolders, totalBytes, toUploadItems } from './upload-item.ts'

const file = (name: string, content = 'x') => new File([content], name)

test('files without a path are lines of their own, the others go into the folder they came in', () => {
  const items = toUploadItems([
    { path: 'a.txt', file: file('a.txt', 'four') },
    { path: 'photos/one.png', file: file('one.png') },
    { path: 'photos/deep/two.png', file: file('two.png') },
    { path: 'notes/b.txt', file: file('b.txt') },
  ])
  expect(items.map(({ kind, name }) => [kind, name])).toEqual([
    ['file', 'a.txt'],
    ['folder', 'photos'],
    ['folder', 'notes'],
  ])
  expect(totalBytes(items)).toBe(7)
})

test('a folder taken apart keeps the paths in its names', () => {
  const items = toUploadItems([{ path: 'photos/deep/two.png', file: file('two.png') }])
  expect(splitFolders(items).map(({ kind, name }) => [kind, name])).toEqual([['file', 'photos/deep/two.png']])
})

test('names that come twice, and empty ones, are marked before anything is sent', () => {
  const [one, two, three] = toUploadItems(['a', 'b', 'c'].map((name) => ({ path: name, file: file(name) })))
  if (one === undefined || two === undefined || three === undefined) throw new Error('three lines')
  const faults = findNameFaults([one, { ...two, name: 'a' }, { ...three, name: ' ' }])
  expect([...faults]).toEqual([
    [two.id, 'Duplicate file name found: a'],
    [three.id, 'A name needs at least one character.'],
  ])
})
