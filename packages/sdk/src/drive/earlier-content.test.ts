// Earlier content of a file that is uploaded again becomes its current content.
import { beforeEach, expect, test } from 'vitest'
import { type DriveEditor, startEdit } from './edit.ts'
import { createRegisters } from './log/registers.ts'
import { createStamp } from './log/stamp.ts'
import { findNode } from './paths.ts'
import type { DriveUpload } from './view/nodes.ts'
import { createUploadIndex } from './view/upload-index.ts'
import { createView } from './view/view.ts'

const cidOf = (letter: string) => `bafkrei${letter.repeat(52)}`
const [a, b, c] = [cidOf('a'), cidOf('b'), cidOf('c')]

/** A drive whose clock is `at`, as are the times of uploads. */
function createDrive() {
  const state = createRegisters()
  const index = createUploadIndex()
  const view = createView(state, index)
  let at = 0
  let uploadCount = 0
  const upload = (cid: string, fileName = 'config.json', createdAt = ++at) => {
    const added: DriveUpload = {
      ...{ id: String(uploadCount++), cid, fileName, createdAt },
      ...{ fileSizeInBytes: '5', mimeType: null, encryption: false },
    }
    view.touch(index.add([added]))
  }
  const change = <T>(run: (editor: DriveEditor) => T, now = ++at): T => {
    const { editor } = startEdit(state, view, createStamp(state.newest, now, 'deviceA1'), now)
    return run(editor)
  }
  /** The versions of a file, newest first, in a view built from everything. */
  const versions = (path: string) => {
    const all = createUploadIndex()
    all.replace([...index.rows].reverse())
    const [followed, whole] = [view, createView(state, all)].map((one) =>
      findNode(one, path)?.versions?.map(({ cid }) => cid.at(-1)),
    )
    expect(followed).toEqual(whole)
    return followed?.join('')
  }
  return { upload, change, versions, view, index }
}

let drive: ReturnType<typeof createDrive>
beforeEach(() => {
  drive = createDrive()
})

test('in the root it counts by its name, also in a file with marks', () => {
  const { upload, change, versions } = drive
  upload(a)
  upload(b)
  expect(versions('/config.json')).toBe('ba')
  upload(a)
  expect(versions('/config.json')).toBe('ab')
  change((edit) => edit.star('/config.json'))
  upload(b)
  expect(versions('/config.json')).toBe('ba')
  upload(c)
  upload(a)
  expect(versions('/config.json')).toBe('acb')
  // A copy under another name is not a version of the file.
  upload(b, 'backup.json')
  expect(versions('/config.json')).toBe('acb')
  change((edit) => edit.useVersion('/config.json', b))
  expect(versions('/config.json')).toBe('bac')
  upload(a)
  expect(versions('/config.json')).toBe('abc')
})

test('a file keeps its content while it is moved, renamed, deleted and restored', () => {
  const { upload, change, versions } = drive
  for (const cid of [a, b, a]) upload(cid)
  change((edit) => edit.createFolder('/f'))
  change((edit) => edit.move('/config.json', '/f'))
  expect(versions('/f/config.json')).toBe('ab')
  // In the root: it changes no file in a folder, not even a restored one.
  upload(b)
  expect(versions('/f/config.json')).toBe('ab')
  change((edit) => edit.move('/f/config.json', '/config.json'))
  expect(versions('/config.json')).toBe('ab')
  change((edit) => edit.move('/config.json', '/old.json'))
  upload(b)
  expect(versions('/old.json')).toBe('ab')
  change((edit) => edit.move('/old.json', '/config.json'))
  expect(versions('/config.json')).toBe('ab')
  change((edit) => edit.trash('/config.json'))
  upload(b)
  change((edit) => edit.restore('/config.json'))
  expect(versions('/config.json')).toBe('ab')
  upload(b)
  expect(versions('/config.json')).toBe('ba')
  for (const cid of [c, a, b]) upload(cid)
  change((edit) => edit.move('/config.json', '/f'))
  expect(versions('/f/config.json')).toBe('bac')
})

test('a restored file and a newer upload of its name are two files', () => {
  const { upload, change, versions, view } = drive
  upload(a)
  change((edit) => edit.trash('/config.json'))
  upload(b)
  expect(change((edit) => edit.restore(a))).toBe('/config (2).json')
  expect([versions('/config.json'), versions('/config (2).json')]).toEqual(['b', 'a'])
  // Also in a folder, and from one that is in the trash.
  change((edit) => edit.createFolder('/f'))
  change((edit) => edit.move('/config (2).json', '/f/config.json'))
  change((edit) => edit.trash('/f/config.json'))
  change((edit) => edit.move('/config.json', '/f'))
  expect(change((edit) => edit.restore(a))).toBe('/f/config (2).json')
  change((edit) => edit.trash('/f'))
  upload(c)
  expect(change((edit) => edit.restore(b))).toBe('/config (2).json')
  expect(view.list('').map(({ name }) => name)).toEqual(['config (2).json', 'config.json'])
})

test('at its path in a folder it is the content again, also from the trash', () => {
  const { upload, change, versions } = drive
  const path = '/f/config.json'
  const place = (cid: string) => change((edit) => edit.place(cid, path))
  for (const cid of [a, b, a, b, b]) {
    upload(cid)
    expect(place(cid)).toBe(path)
    expect(versions(path)?.[0]).toBe(cid.at(-1))
  }
  upload(c)
  place(c)
  expect(versions(path)).toBe('cba')
  place(a)
  expect(versions(path)).toBe('acb')
  change((edit) => edit.useVersion(path, b))
  expect(versions(path)).toBe('bac')
  // Also in the trash, and onto another file.
  change((edit) => edit.trash(path))
  expect(place(a)).toBe(path)
  expect(versions(path)).toBe('abc')
  change((edit) => edit.trash(path))
  const other = cidOf('d')
  upload(other, 'config.json')
  place(other)
  expect(place(c)).toBe(path)
  expect(versions(path)?.[0]).toBe('c')
  // It stays where it is.
  expect(change((edit) => edit.place(b, '/elsewhere.json'))).toBe(path)
  expect(versions(path)?.[0]).toBe('c')
})

test('a version becomes the newest although the clock of the device is behind', () => {
  const { upload, change, versions } = drive
  const path = '/f/config.json'
  upload(a, 'config.json', 1_000)
  change((edit) => edit.place(a, path))
  upload(b)
  change((edit) => edit.place(b, path))
  expect(versions(path)).toBe('ba')
})

test('of a root file that is moved into a folder', () => {
  const { upload, change, versions } = drive
  upload(a, 'old.json')
  upload(b, 'old.json')
  upload(a, 'config.json')
  expect(change((edit) => edit.place(a, '/f/config.json'))).toBe('/f/config.json')
  expect(versions('/f/config.json')).toBe('ab')
})
