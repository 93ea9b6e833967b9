import { expect, test } from 'vitest'
import { emptyFolderFile } from '../transfers/path-file.ts'
import { toUploadItems } from './to-upload-items.ts'
import { countFiles, findNameProblems, removeLine, renameLine, splitFolders, totalBytes } from './upload-item.ts'

const file = (name: string, content = 'x') => new File([content], name)

test('files without a path stay single, and others go into their folder', () => {
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

test('a split folder keeps the paths in its names, and beside names that change', () => {
  const items = toUploadItems([{ path: 'photos/deep/two.png', file: file('two.png') }])
  const [line] = splitFolders(items)
  expect(line).toMatchObject({ kind: 'file', name: 'photos/deep/two.png' })
  expect(splitFolders(renameLine(items, line?.id ?? '', 'first.png'))).toMatchObject([
    { name: 'first.png', path: 'photos/deep/two.png' },
  ])
})

test('a folder lists its files by path and number, in whatever order the browser returns them', () => {
  const paths = ['day 10/a.jpg', 'b.jpg', 'day 9/a.jpg', 'a 2.jpg', 'a 10.jpg'].map((path) => `photos/${path}`)
  const items = toUploadItems(paths.map((path) => ({ path, file: file(path) })))
  expect(splitFolders(items).map(({ name }) => name)).toEqual(
    ['a 2.jpg', 'a 10.jpg', 'b.jpg', 'day 9/a.jpg', 'day 10/a.jpg'].map((path) => `photos/${path}`),
  )
})

test('changing the files of a split folder keeps it one folder', () => {
  const items = toUploadItems([
    { path: 'photos/one.png', file: file('one.png') },
    { path: 'photos/deep/two.png', file: file('two.png', 'four') },
    { path: 'photos/later', file: emptyFolderFile('photos/later') },
    { path: 'a.txt', file: file('a.txt') },
  ])
  const idOf = (all: typeof items, wanted: string) => splitFolders(all).find(({ name }) => name === wanted)?.id ?? ''
  const renamed = renameLine(items, idOf(items, 'photos/one.png'), 'first.png')
  expect(splitFolders(renamed).map(({ name }) => name)).toEqual(['a.txt', 'photos/deep/two.png', 'first.png'])
  expect(renamed.map(({ kind, name }) => [kind, name])).toEqual([
    ['file', 'a.txt'],
    ['folder', 'photos'],
  ])
  // Removed files are not uploaded, neither as a folder nor as separate files.
  const removed = removeLine(renamed, idOf(renamed, 'photos/deep/two.png'))
  expect(splitFolders(removed).map(({ name }) => name)).toEqual(['a.txt', 'first.png'])
  expect([removed.length, countFiles(removed), totalBytes(removed)]).toEqual([2, 2, 2])
  const [first] = removeLine(removed, idOf(removed, 'first.png'))
  expect(first?.name).toBe('a.txt')
  expect(removeLine(removed, idOf(removed, 'first.png'))).toHaveLength(1)
})

test('an empty folder belongs to its folder or becomes a folder, and does not count as a file', () => {
  const items = toUploadItems([
    { path: 'photos/one.png', file: file('one.png') },
    { path: 'photos/later', file: emptyFolderFile('photos/later') },
    { path: 'new', file: emptyFolderFile('new') },
  ])
  expect(items.map(({ kind, name }) => [kind, name])).toEqual([
    ['folder', 'photos'],
    ['folder', 'new'],
  ])
  expect(countFiles(items)).toBe(1)
  expect(splitFolders(items).map(({ name }) => name)).toEqual(['photos/one.png'])
})

test('marks duplicate and empty names before anything is sent', () => {
  const [one, two, three] = toUploadItems(['a', 'b', 'c'].map((name) => ({ path: name, file: file(name) })))
  if (one === undefined || two === undefined || three === undefined) throw new Error('three lines')
  const problems = findNameProblems([one, { ...two, name: 'a' }, { ...three, name: ' ' }])
  expect([...problems]).toEqual([
    [two.id, 'Duplicate file name found: a. Rename one of them.'],
    [three.id, 'A name needs at least one character.'],
  ])
})

test('marks names that the service rejects before anything is sent, but not paths of split folders', () => {
  const faultOf = (name: string) => {
    const [item] = toUploadItems([{ path: 'a', file: file('a') }])
    if (item === undefined) throw new Error('one line')
    return findNameProblems([{ ...item, name }]).get(item.id)
  }
  expect(faultOf('../../etc/passwd')).toBe('A path must not contain "..".')
  expect(faultOf('two\nlines')).toBe('A file name contains control characters.')
  expect(faultOf('x'.repeat(1025))).toBe('A file name is longer than 1024 bytes.')
  expect(faultOf('./')).toBe('A name needs at least one character.')
  expect(faultOf('photos/deep/two.png')).toBeUndefined()
  const [folder] = toUploadItems([{ path: 'photos/two.png', file: file('two.png') }])
  if (folder === undefined) throw new Error('one line')
  expect([...findNameProblems([{ ...folder, name: 'a/b' }]).values()]).toEqual([
    'A folder name must not contain a slash.',
  ])
})
