import type { Drive, DriveFile, DriveItem } from '@cairn/sdk'
import { expect, test } from 'vitest'
import { filesOf } from './files-of.ts'
import { toZipItems } from './to-zip-items.ts'

const common = { isStarred: false, tags: [], colour: undefined, trashedAt: undefined }
const file = (path: string, sizeBytes = 1): DriveFile => ({
  ...common,
  kind: 'file',
  id: `bafk${path}`,
  cid: `bafk${path}`,
  name: path.slice(path.lastIndexOf('/') + 1),
  path,
  sizeBytes,
  mimeType: null,
  isEncrypted: false,
  isPrivate: false,
  versions: [{ cid: `bafk${path}`, sizeBytes, mimeType: null, isEncrypted: false, isPrivate: false, at: 7 }],
})
const folder = (path: string): DriveItem => ({
  ...common,
  kind: 'folder',
  id: `d-${path}`,
  name: path.slice(path.lastIndexOf('/') + 1),
  path,
})
const all = [
  folder('/a'),
  folder('/ab'),
  file('/a/b/one.txt', 2),
  file('/a/two.txt', 3),
  file('/ab/three.txt'),
  file('/x.txt'),
]
const drive: Pick<Drive, 'all'> = { all: () => all }

test('includes a folder with everything below it, and no folder with the same prefix', () => {
  expect(filesOf(drive, [folder('/a')]).map(({ path }) => path)).toEqual(['/a/b/one.txt', '/a/two.txt'])
})

test('names files by their path below the common parent of all items', () => {
  const paths = (items: readonly DriveItem[]) => toZipItems(drive, items).items.map(({ path }) => path)
  expect(paths([folder('/a'), file('/x.txt')])).toEqual(['x.txt', 'a/b/one.txt', 'a/two.txt'])
  expect(paths([file('/a/b/one.txt', 2), file('/a/two.txt', 3)])).toEqual(['b/one.txt', 'two.txt'])
  expect(paths([file('/a/two.txt'), file('/ab/three.txt')])).toEqual(['a/two.txt', 'ab/three.txt'])
  expect(toZipItems(drive, [folder('/a')])).toMatchObject({ totalBytes: 5, items: [{ modifiedAt: 7 }, {}] })
})

test('includes the empty folders of the drive', () => {
  const withEmpty = { all: () => [...all, folder('/a/none'), folder('/a/none/below'), folder('/void')] }
  const emptyOf = (...items: DriveItem[]) =>
    toZipItems(withEmpty, items).items.flatMap(({ path, cid }) => (cid === undefined ? [path] : []))
  expect(emptyOf(folder('/a'))).toEqual(['a/none/below'])
  expect(emptyOf(folder('/a'), folder('/void'))).toEqual(['a/none/below', 'void'])
  expect(emptyOf(file('/x.txt'))).toEqual([])
  expect(toZipItems(withEmpty, [folder('/void')]).fileCount).toBe(0)
})

test('counts files, including those in drive folders, unless one may be a stored folder', () => {
  const countOf = (...items: DriveItem[]) => toZipItems(drive, items).fileCount
  const stored = { ...file('/stored'), cid: 'bafybeistored' }
  expect(countOf(folder('/a'), file('/x.txt'))).toBe(3)
  expect(countOf(file('/x.txt'), stored)).toBeUndefined()
  expect(countOf(file('/x.txt'), { ...stored, mimeType: 'video/mp4' })).toBe(2)
})
