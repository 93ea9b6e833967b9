import type { DriveItem } from '@cairn/sdk'
import { expect, test } from 'vitest'
import { listTargets } from './list-targets.ts'

const marks = { isStarred: false, tags: [], colour: undefined, trashedAt: undefined }
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
const toFolder = (path: string): DriveItem => ({ kind: 'folder', id: path, name: nameOf(path), path, ...marks })
const toFile = (path: string): DriveItem => ({
  kind: 'file',
  id: path,
  name: nameOf(path),
  path,
  cid: `cid of ${path}`,
  sizeBytes: 1,
  mimeType: null,
  isEncrypted: false,
  isPrivate: false,
  versions: [],
  ...marks,
})
const all = [toFolder('/b'), toFile('/a.txt'), toFile('/b/trip'), toFolder('/a'), toFolder('/a/in'), toFolder('/a b')]
const isStored = (cid: string) => cid === 'cid of /b/trip'
const list = (moved: readonly string[]) =>
  listTargets(
    { all: () => all },
    moved.map((path) => ({ path })),
    isStored,
  ).map(({ path, isStored }) => (isStored ? `${path} (stored)` : path))

test('lists each folder after its parent, including folders uploaded as one', () => {
  expect(list(['/a.txt'])).toEqual(['/', '/a', '/a/in', '/a b', '/b', '/b/trip (stored)'])
})

test('omits the moved folder and everything in it', () => {
  expect(list(['/a'])).toEqual(['/', '/a b', '/b', '/b/trip (stored)'])
  expect(list(['/b/trip'])).toEqual(['/', '/a', '/a/in', '/a b', '/b'])
})

test('keeps the items of a folder below it, beside a folder whose name differs only in case', () => {
  const paths = ['/Trips/2025', '/trips/2024', '/trips', '/Trips']
  const drive = { all: () => paths.map(toFolder) }
  const listed = listTargets(drive, [], isStored).map(({ path }) => path)
  expect(listed).toEqual(['/', '/Trips', '/Trips/2025', '/trips', '/trips/2024'])
})
