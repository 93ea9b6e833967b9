import type { Drive, DriveFile, DriveItem } from '@cairn/sdk'
import { expect, test } from 'vitest'
import { listAll, listFolder, narrowRows } from './list-items.ts'

const toFile = (name: string, sizeBytes = 1): DriveFile => ({
  kind: 'file',
  id: name,
  name,
  path: `/${name}`,
  isStarred: false,
  tags: [],
  colour: undefined,
  trashedAt: undefined,
  cid: name,
  sizeBytes,
  mimeType: 'text/plain',
  isEncrypted: false,
  isPrivate: false,
  versions: [],
})
const toFolder = (name: string): DriveItem => {
  const { id, path, isStarred, tags, colour, trashedAt } = toFile(name)
  return { kind: 'folder', id, name, path, isStarred, tags, colour, trashedAt }
}
const driveOf = (items: DriveItem[]): Pick<Drive, 'list' | 'all'> => ({ list: () => items, all: () => items })
const namesOf = (rows: readonly { fileName: string }[]) => rows.map(({ fileName }) => fileName)

test('an unchanged item keeps its row when others are added, replaced or removed', () => {
  const items = Array.from({ length: 6 }, (_, at) => toFile(`${at}.txt`))
  const [first, second, third, fourth, fifth, sixth] = items
  const before = listFolder(driveOf(items), '/', {})
  let rowOf = new Map(before.map((row) => [row.item, row]))
  for (const next of [
    [first, toFile('1a.txt'), third, fourth, fifth, sixth],
    [toFile('0a.txt'), first, second, third, fourth, fifth, sixth],
    [first, second, fourth, fifth, sixth],
  ]) {
    const listed = next.filter((one) => one !== undefined)
    const rows = listFolder(driveOf(listed), '/', {})
    expect(rows.map(({ item }) => item)).toEqual(listed)
    for (const row of rows) {
      const known = rowOf.get(row.item)
      if (known !== undefined) expect(row).toBe(known)
    }
    rowOf = new Map(rows.map((row) => [row.item, row]))
  }
})

test('sorts rows by the address, folders first, and filters by name, folder and tag', () => {
  const drive = driveOf([toFile('b10.txt', 3), toFolder('z'), toFile('b9.txt', 5), toFile('A.txt', 4)])
  expect(namesOf(listAll(drive, {}))).toEqual(['z', 'A.txt', 'b9.txt', 'b10.txt'])
  expect(namesOf(listAll(drive, { order: 'desc' }))).toEqual(['z', 'b10.txt', 'b9.txt', 'A.txt'])
  expect(namesOf(listAll(drive, { sort: 'fileSizeInBytes' }))).toEqual(['z', 'b9.txt', 'A.txt', 'b10.txt'])
  const all = listAll(drive, {})
  expect(namesOf(narrowRows(all, '/', { q: 'B 0' }, undefined))).toEqual(['b10.txt'])
  expect(namesOf(narrowRows(all, '/z', { q: 'b' }, undefined))).toEqual([])
  expect(namesOf(narrowRows(all, '/', {}, 'sea'))).toEqual([])
})

test('folders have no size or date, so they are then sorted by name, like files of equal size', () => {
  const items = [
    toFolder('a'),
    toFolder('b2'),
    toFolder('b10'),
    toFile('c.txt', 1),
    toFile('d.txt', 1),
    toFile('e.txt', 2),
  ]
  for (const order of ['asc', 'desc'] as const) {
    const names = namesOf(listFolder(driveOf(items), '/', { sort: 'fileSizeInBytes', order }))
    expect(names.slice(0, 3)).toEqual(['a', 'b2', 'b10'])
    expect(names.slice(3)).toEqual(order === 'asc' ? ['c.txt', 'd.txt', 'e.txt'] : ['e.txt', 'c.txt', 'd.txt'])
  }
})

test('rows of several folders show their folder, and the root has a name', () => {
  const inside = { ...toFile('a.txt'), path: '/z/a.txt' }
  const rows = listAll(driveOf([toFile('b.txt'), inside]), {})
  expect(rows.map(({ fileName, place }) => [fileName, place])).toEqual([
    ['a.txt', '/z'],
    ['b.txt', 'My files'],
  ])
})
