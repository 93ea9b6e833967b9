// Files that came through an upload link, beside those of the account.
import { expect, test } from 'vitest'
import { applyChange, type Change, createRegisters } from '../log/registers.ts'
import { createStamp } from '../log/stamp.ts'
import type { DriveUpload } from './nodes.ts'
import { createUploadIndex } from './upload-index.ts'
import { createView } from './view.ts'

let count = 0
/** An upload that is newer than those before. */
function makeUpload(cid: string, fileName: string, more: Partial<DriveUpload> = {}): DriveUpload {
  const at = ++count
  return { id: `${at}`, cid, fileName, fileSizeInBytes: '5', mimeType: null, createdAt: at, encryption: false, ...more }
}
const sent = { uploadLinkId: 'link' }

function openRoot(...uploads: DriveUpload[]) {
  const state = createRegisters()
  const index = createUploadIndex()
  index.replace(uploads)
  const view = createView(state, index)
  let at = createStamp(undefined, 1, 'deviceA1')
  return {
    /** Name, newest content and number of versions of each file in the root. */
    list: () =>
      view
        .list('')
        .map((item) => (item.kind === 'file' ? [item.name, item.cid, item.versions.length] : [item.name]))
        // A name without a number first.
        .toReversed(),
    add: (upload: DriveUpload) => view.touch(index.add([upload])),
    remove: ({ id }: DriveUpload) => view.touch(index.replace(index.rows.filter((row) => row.id !== id)).changed),
    set: (...set: Change['set']) => {
      at = createStamp(at, 2, 'deviceA1')
      applyChange(state, { at, set, clear: [] })
      view.touch(set.map(([id]) => id))
    },
  }
}

test('a sent file does not become a version of a file of the account, whichever name its sender chose', () => {
  const root = openRoot(makeUpload('bafk-b-report', 'report.pdf', { encryption: true }))
  root.add(makeUpload('bafk-a-fake', 'report.pdf', sent))
  expect(root.list()).toEqual([
    ['report.pdf', 'bafk-b-report', 1],
    ['report (2).pdf', 'bafk-a-fake', 1],
  ])
})

test('an upload of the account takes its name from a sent file, and later uploads are its versions', () => {
  const root = openRoot(makeUpload('bafk-a-sent', 'report.pdf', sent))
  expect(root.list()).toEqual([['report.pdf', 'bafk-a-sent', 1]])
  root.add(makeUpload('bafk-b-report', 'report.pdf'))
  root.add(makeUpload('bafk-c-report', 'report.pdf'))
  expect(root.list()).toEqual([
    ['report.pdf', 'bafk-c-report', 2],
    ['report (2).pdf', 'bafk-a-sent', 1],
  ])
})

test('sent files of one name stay apart, in the order in which they arrived', () => {
  const root = openRoot(makeUpload('bafk-b-first', 'cat.png', sent), makeUpload('bafk-c-second', 'cat.png', sent))
  root.add(makeUpload('bafk-a-third', 'cat.png', sent))
  expect(root.list().map(([name, cid]) => [name, cid])).toEqual([
    ['cat.png', 'bafk-b-first'],
    ['cat (3).png', 'bafk-a-third'],
    ['cat (2).png', 'bafk-c-second'],
  ])
})

test('an earlier version that a sender sends again does not become the newest', () => {
  const [old, current] = [makeUpload('bafk-a-old', 'report.pdf'), makeUpload('bafk-b-current', 'report.pdf')]
  const root = openRoot(old, current)
  const again = makeUpload('bafk-a-old', 'report.pdf', sent)
  root.add(again)
  expect(root.list()).toEqual([['report.pdf', 'bafk-b-current', 2]])
  // Without the upload of the account, what was sent is a file of its own.
  root.remove(old)
  expect(root.list()).toEqual([
    ['report.pdf', 'bafk-b-current', 1],
    ['report (2).pdf', 'bafk-a-old', 1],
  ])
})

test('a sent file that its owner stars stays apart, and one that its owner names is a file as any other', () => {
  const root = openRoot(makeUpload('bafk-a-sent', 'cat.png', sent), makeUpload('bafk-b-cat', 'cat.png'))
  root.set(['bafk-a-sent', 'starred', true])
  root.add(makeUpload('bafk-c-cat', 'cat.png'))
  expect(root.list()).toEqual([
    ['cat.png', 'bafk-c-cat', 2],
    ['cat (2).png', 'bafk-a-sent', 1],
  ])
  root.set(['bafk-a-sent', 'name', 'dog.png'])
  root.add(makeUpload('bafk-d-dog', 'dog.png'))
  expect(root.list()).toEqual([
    ['dog.png', 'bafk-d-dog', 2],
    ['cat.png', 'bafk-c-cat', 2],
  ])
})

test('content that its owner uploads, too, is no sent file any more', () => {
  const root = openRoot(makeUpload('bafk-a-sent', 'cat.png', sent))
  root.add(makeUpload('bafk-a-sent', 'cat.png'))
  root.add(makeUpload('bafk-b-cat', 'cat.png'))
  expect(root.list()).toEqual([['cat.png', 'bafk-b-cat', 2]])
})
