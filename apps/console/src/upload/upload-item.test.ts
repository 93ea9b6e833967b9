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
    [two.id, 'Duplicate file name found: a. Give one of them another name.'],
    [three.id, 'A name needs at least one character.'],
  ])
})

test('names that the service refuses are marked before anything is sent, and paths of folders taken apart are not', () => {
  const faultOf = (name: string) => {
    const [item] = toUploadItems([{ path: 'a', file: file('a') }])
    if (item === undefined) throw new Error('one line')
    return findNameFaults([{ ...item, name }]).get(item.id)
  }
  expect(faultOf('../../etc/passwd')).toBe('A path must not contain "..".')
  expect(faultOf('two\nlines')).toBe('A file name has control characters.')
  expect(faultOf('x'.repeat(1025))).toBe('A file name is longer than 1024 bytes.')
  expect(faultOf('./')).toBe('A name needs at least one character.')
  expect(faultOf('photos/deep/two.png')).toBeUndefined()
  const [folder] = toUploadItems([{ path: 'photos/two.png', file: file('two.png') }])
  if (folder === undefined) throw new Error('one line')
  expect([...findNameFaults([{ ...folder, name: 'a/b' }]).values()]).toEqual([
    'A folder name must not contain a slash.',
  ])
})
