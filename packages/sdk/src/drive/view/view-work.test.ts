// A change of a drive costs what it touches, whatever the drive contains. Counted, not timed.
import { expect, test } from 'vitest'
import { type DriveEditor, startEdit } from '../edit.ts'
import { createRegisters } from '../log/registers.ts'
import { createStamp } from '../log/stamp.ts'
import { countWork } from './count-work.fixture.ts'
import type { DriveUpload } from './nodes.ts'
import { createUploadIndex } from './upload-index.ts'
import { createView } from './view.ts'

const toUpload = (at: number): DriveUpload => ({
  id: String(at),
  cid: `bafkrei${String(at).padStart(52, '0')}`,
  fileName: `IMG_${at}.jpg`,
  fileSizeInBytes: '1000',
  mimeType: 'image/jpeg',
  createdAt: 1_700_000_000_000 + at,
  encryption: true,
})

/** A drive with this many files in the root, and as many in folders, in the state of a page that shows the root. */
function openDrive(fileCount: number) {
  const state = createRegisters()
  const index = createUploadIndex()
  index.replace(Array.from({ length: fileCount }, (_, at) => toUpload(fileCount - at)))
  const view = createView(state, index)
  let nowMs = 1_800_000_000_000
  const change = (run: (editor: DriveEditor) => unknown) => {
    nowMs++
    const edit = startEdit(state, view, createStamp(state.newest, nowMs, 'deviceA1'), nowMs)
    try {
      run(edit.editor)
    } catch (error) {
      edit.undo()
      throw error
    }
    return edit.finish()
  }
  const read = () => ({ root: view.list(''), tags: [...view.tagged()], trash: [...view.trashed()] })
  change((edit) => {
    for (let at = 0; at < 10; at++) edit.createFolder(`/folder ${at}`)
    for (let at = 1; at <= fileCount / 2; at++) edit.move(`/IMG_${at}.jpg`, `/folder ${at % 10}`)
  })
  read()
  return { view, index, change, read, last: `/IMG_${fileCount}.jpg` }
}

type Opened = ReturnType<typeof openDrive>
const changes: Record<string, (drive: Opened) => unknown> = {
  rename: ({ change, last }) => change((edit) => edit.move(last, '/renamed.jpg')),
  star: ({ change }) => change((edit) => edit.star('/renamed.jpg')),
  tag: ({ change }) => change((edit) => edit.tag('/renamed.jpg', 'sea')),
  move: ({ change }) => change((edit) => edit.move('/renamed.jpg', '/folder 3')),
  'folder renamed': ({ change }) => change((edit) => edit.move('/folder 4', '/summer')),
  'folder moved': ({ change }) => change((edit) => edit.move('/summer', '/folder 5')),
  trash: ({ change }) => change((edit) => edit.trash('/folder 3/renamed.jpg')),
  restore: ({ change }) => change((edit) => edit.restore('/folder 3/renamed.jpg')),
  'new upload': ({ view, index }) => view.touch(index.add([{ ...toUpload(900_000), fileName: 'new.jpg' }])),
  'new version': ({ view, index }) => view.touch(index.add([{ ...toUpload(900_001), fileName: 'new.jpg' }])),
  'earlier content again': ({ view, index }) =>
    view.touch(index.add([{ ...toUpload(900_000), id: 'again', fileName: 'new.jpg', createdAt: 1_750_000_000_000 }])),
  'upload placed': ({ view, index, change }) => {
    const added = { ...toUpload(900_002), fileName: 'placed.jpg' }
    view.touch(index.add([added]))
    change((edit) => edit.place(added.cid, '/folder 6/placed.jpg'))
  },
  'edit undone': ({ view, change }) => {
    expect(() =>
      change((edit) => {
        edit.star('/new.jpg')
        edit.move('/none', '/folder 6')
      }),
    ).toThrow('/none does not exist')
    expect(view.get(view.idAt('', 'new.jpg') ?? '')?.isStarred).toBe(false)
  },
}

test('a change of a drive of 4,000 files takes no more work than that of one of 400', async () => {
  const small = openDrive(400)
  const large = openDrive(4_000)
  const folder = new URL('..', import.meta.url)
  const counts: Record<string, [small: number, large: number]> = {}
  for (const [name, run] of Object.entries(changes)) {
    const count = (drive: Opened) =>
      countWork(folder, () => {
        run(drive)
        drive.read()
      })
    counts[name] = [await count(small), await count(large)]
  }
  for (const [name, [few, many]] of Object.entries(counts)) {
    expect(few, name).toBeGreaterThan(10)
    // A binary search among more items takes more steps.
    expect(many, `${name}: ${few} steps among 400 files, ${many} among 4,000`).toBeLessThan(few * 1.5 + 50)
  }
})
