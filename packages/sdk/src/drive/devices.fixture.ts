// Several devices of one account with clocks of their own, and a service in memory: the code of the drive without requests.
import { restoreError } from '@cairn/protocol'
import { type Client, createClient } from '../client.ts'
import type { OpenState } from './delete-uploads.ts'
import { type DriveEditor, startEdit } from './edit.ts'
import { emptyTrash } from './empty-trash.ts'
import { createLog } from './log/log.ts'
import { applyChange, type Change, createRegisters } from './log/registers.ts'
import { createStamp } from './log/stamp.ts'
import { findNode } from './paths.ts'
import type { DriveItem } from './view/items.ts'
import type { DriveUpload } from './view/nodes.ts'
import { createUploadIndex } from './view/upload-index.ts'
import { createView } from './view/view.ts'

/** What the service stores. */
export type TestService = {
  changes: Change[]
  uploads: DriveUpload[]
  now: number
  upload(cid: string, name: string): void
}

export function createTestService(): TestService {
  let count = 0
  const service: TestService = {
    changes: [],
    uploads: [],
    now: Date.UTC(2026, 0, 1),
    upload(cid, fileName) {
      const id = String(++count)
      const createdAt = ++service.now
      const upload = { id, cid, fileName, createdAt, fileSizeInBytes: '5', mimeType: null, encryption: false }
      service.uploads = [upload, ...service.uploads]
    },
  }
  return service
}

export type TestDevice = ReturnType<typeof createTestDevice>

/** @param offsetMs of its clock */
export function createTestDevice(service: TestService, name: string, offsetMs: number) {
  const state = createRegisters()
  const index = createUploadIndex()
  const view = createView(state, index)
  const log = createLog()
  /** What another device does before the next request of this one. */
  let meanwhile: (() => void) | undefined
  const send = () => {
    const run = meanwhile
    meanwhile = undefined
    run?.()
  }
  const readChanges = () => {
    for (const change of service.changes.slice(log.revision)) {
      applyChange(state, change)
      view.touch([...change.set.map(([id]) => id), ...change.clear])
    }
    log.revision = service.changes.length
  }
  const listUploads = () => view.touch(index.replace(service.uploads).changed)
  const change = (run: (editor: DriveEditor) => unknown, isConditional = false): void => {
    const now = ++service.now + offsetMs
    const edit = startEdit(state, view, createStamp(state.newest, now, `device-${name}`), now)
    let made: Change
    try {
      run(edit.editor)
      made = edit.finish()
    } catch (error) {
      edit.undo()
      throw error
    }
    if (made.set.length + made.clear.length === 0) return
    send()
    if (isConditional && log.revision < service.changes.length) {
      edit.undo()
      throw restoreError('PRECONDITION_FAILED')
    }
    readChanges()
    service.changes.push(made)
    log.revision++
  }
  const base = 'http://service.test'
  const fetch: Client['fetch'] = async (_input, init) => {
    send()
    const { revision, ids }: { revision: number; ids: string[] } = JSON.parse(String(init?.body))
    if (revision !== service.changes.length) {
      const headers = { 'x-cairn-code': 'PRECONDITION_FAILED' }
      return Response.json(
        { error: { code: 'PRECONDITION_FAILED', message: '', details: {} } },
        { status: 412, headers },
      )
    }
    service.uploads = service.uploads.filter(({ id }) => !ids.includes(id))
    return Response.json({ kept: [] })
  }
  const client = createClient({ network: { name: 'test', api: base, upload: base, gateway: base }, apiKey: 'k', fetch })
  return {
    name,
    change,
    sync() {
      readChanges()
      listUploads()
    },
    find(path: string): DriveItem | undefined {
      const node = findNode(view, path)
      return node && view.itemOf(node)
    },
    /** All items, with the ids of their folders. */
    items: (): (DriveItem & { parent: string; isInTrash: boolean })[] =>
      Array.from(view.nodes(), (node) => ({
        ...view.itemOf(node),
        parent: node.parent,
        isInTrash: view.isInTrash(node),
      })),
    list: (folderId: string) => view.list(folderId).map(({ name: shown }) => shown),
    /** Empties the trash, and lets another device do something before the requests that delete content and entries. */
    async emptyTrash(ids: readonly string[], others: readonly (() => void)[]) {
      const [first, second] = others
      meanwhile = first
      const open: OpenState = {
        ...{ client, log, index, view: () => view, registers: () => state },
        reload: async () => {
          readChanges()
          listUploads()
        },
        readChanges: async () => readChanges(),
        removeUploads: (gone) => view.touch(index.replace(index.rows.filter(({ id }) => !gone.has(id))).changed),
      }
      const clear: Parameters<typeof emptyTrash>[1] = async (entries, names, isConditional) => {
        meanwhile ??= second
        change((editor) => editor.clear(entries, names), isConditional)
      }
      await emptyTrash(open, clear, { ids })
      meanwhile = undefined
    },
  }
}
