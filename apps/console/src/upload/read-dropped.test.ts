import { maxUploadParts } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { readEntries } from './read-dropped.ts'

const filesystem: FileSystem = {
  name: 'dropped',
  get root(): never {
    throw new Error('The root is not read')
  },
}
const common = { filesystem, getParent: () => undefined }

const fileEntry = (fullPath: string): FileSystemFileEntry => {
  const name = fullPath.slice(fullPath.lastIndexOf('/') + 1)
  return { ...common, isFile: true, isDirectory: false, name, fullPath, file: (done) => done(new File([], name)) }
}

/** A folder whose reader returns a hundred entries at a time, as in browsers. */
const folderEntry = (fullPath: string, inside: readonly FileSystemEntry[]): FileSystemDirectoryEntry => ({
  ...common,
  isFile: false,
  isDirectory: true,
  name: fullPath.slice(1),
  fullPath,
  getFile: () => undefined,
  getDirectory: () => undefined,
  createReader: () => {
    let at = 0
    return {
      readEntries: (done) => {
        done(inside.slice(at, at + 100))
        at += 100
      },
    }
  },
})

const read = (entries: readonly FileSystemEntry[]) =>
  readEntries(entries.map((entry) => ({ entry, handle: undefined })))
const filesIn = (folder: string, count: number) =>
  Array.from({ length: count }, (_none, at) => fileEntry(`${folder}/${at}`))

test('reads folders with everything in them, including empty ones, beside single files', async () => {
  const empty = folderEntry('/trip/none', [])
  const dropped = await read([folderEntry('/trip', [...filesIn('/trip', 250), empty]), fileEntry('/plan.txt')])
  expect(dropped?.unreadable).toBe(0)
  expect(new Set(dropped?.files.map(({ path }) => path))).toEqual(
    new Set([...Array.from({ length: 250 }, (_none, at) => `trip/${at}`), 'trip/none', 'plan.txt']),
  )
})

test('rejects more files than the service accepts as a whole, because the first of them would look like all', async () => {
  const half = maxUploadParts / 2
  const folders = ['/one', '/two'].map((path) => folderEntry(path, filesIn(path, half)))
  expect((await read(folders))?.files).toHaveLength(maxUploadParts)
  expect(await read([...folders, fileEntry('/last.txt')])).toBeUndefined()
})
