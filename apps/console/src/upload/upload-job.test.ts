import { expect, test } from 'vitest'
import type { KeptUpload } from './kept-uploads.ts'
import { hasFiles, toItem } from './upload-job.ts'

const kept = (kind: KeptUpload['kind'], paths: readonly string[]): KeptUpload => ({
  id: 'one',
  account: '0x1',
  name: 'trip',
  kind,
  isEncrypted: false,
  sizeBytes: paths.length,
  files: paths.map((path) => ({ path, sizeBytes: 1, modifiedAt: 5, type: '' })),
  keptBytes: 0,
  createdAt: 1,
})
const fileOf = (name: string, lastModified = 5) => new File(['x'], name, { lastModified })

test('finds each file of a folder that is chosen again by its path, without searching all others', () => {
  const paths = Array.from({ length: 2_000 }, (_none, at) => `trip/${at}`)
  let reads = 0
  const files = paths.toReversed().map((path) => ({
    file: fileOf(path),
    get path() {
      reads++
      return path
    },
  }))
  const item = toItem(kept('folder', paths), files)
  expect(item.kind === 'folder' ? item.files.map(({ path, file }) => [path, file.name]) : []).toEqual(
    paths.map((path) => [path, path]),
  )
  expect(reads).toBe(paths.length)
})

test('finds its own file for each of many uploads, without searching all files for each', () => {
  const paths = Array.from({ length: 500 }, (_none, at) => `trip/${at}`)
  let reads = 0
  const files = paths.map((path) => ({
    file: fileOf(path),
    get path() {
      reads++
      return path
    },
  }))
  for (const path of paths) expect(toItem(kept('file', [path]), files)).toMatchObject({ kind: 'file', path })
  expect(reads).toBeLessThanOrEqual(2 * paths.length)
})

test('rejects another file, or a missing one, by name', () => {
  const twice = [
    { path: 'trip/a', file: fileOf('a', 6) },
    { path: 'trip/a', file: fileOf('a') },
  ]
  expect(toItem(kept('folder', ['trip/a']), twice)).toMatchObject({ kind: 'folder', name: 'trip' })
  for (const files of [[], twice.slice(0, 1), [{ path: 'trip/b', file: fileOf('a') }]])
    expect(() => toItem(kept('folder', ['trip/a']), files)).toThrow(
      expect.objectContaining({ code: 'FILE_CHANGED', message: expect.stringContaining('trip/a') }),
    )
  // A single file may have been renamed meanwhile.
  expect(toItem(kept('file', ['a']), [{ path: 'b', file: fileOf('b') }])).toMatchObject({ kind: 'file', name: 'trip' })
})

test('among several chosen files, each upload finds its own by name', () => {
  const chosen = ['b', 'a'].map((name) => ({ path: `trip/${name}`, file: fileOf(name) }))
  const item = toItem(kept('file', ['a']), chosen)
  expect(item.kind === 'file' ? item.file.name : '').toBe('a')
  expect(['a', 'b', 'c'].map((name) => hasFiles(kept('file', [name]), chosen))).toEqual([true, true, false])
  expect(hasFiles(kept('folder', ['trip/a', 'trip/b']), chosen)).toBe(true)
  expect(hasFiles(kept('folder', ['trip/a', 'trip/c']), chosen)).toBe(false)
})

test('a file of a split folder finds its own by its path, among others of its name, size and time', () => {
  const paths = ['trip/b/one', 'trip/a/one']
  for (const cut of [(path: string) => path, (path: string) => `album/${path}`, (path: string) => path.slice(5)]) {
    const chosen = paths.map((path) => ({ path: cut(path), file: new File(['x'], path, { lastModified: 5 }) }))
    const found = paths.map((path) => toItem(kept('file', [path]), chosen))
    expect(found.map((item) => (item.kind === 'file' ? [item.path, item.file.name] : []))).toEqual(
      paths.map((path) => [path, path]),
    )
  }
})
