// When an item is due, whatever the clocks of devices say.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createClient } from '../client.ts'
import { emptyTrash, listTrash } from './empty-trash.ts'
import { createLog } from './log/log.ts'
import { applyChange, createRegisters } from './log/registers.ts'
import { createStamp } from './log/stamp.ts'
import { createUploadIndex } from './view/upload-index.ts'
import { createView } from './view/view.ts'

const day = 86_400_000
const now = Date.UTC(2026, 10, 30)
const cid = `bafkrei${'a'.repeat(52)}`

beforeEach(() => vi.useFakeTimers({ now, toFake: ['Date'] }))
afterEach(() => vi.useRealTimers())

/** A trash with one file, deleted at a device's time in a change stamped with another time. */
function createTrash(trashedAt: number, stampedAt: number) {
  const registers = createRegisters()
  const at = createStamp(undefined, stampedAt, 'deviceA1')
  applyChange(registers, { at, set: [[cid, 'trashedAt', trashedAt]], clear: [] })
  const index = createUploadIndex()
  const upload = { id: '1', cid, fileName: 'a.txt', fileSizeInBytes: '5', mimeType: null, encryption: false }
  index.replace([{ ...upload, createdAt: 1 }])
  return { registers, index, view: createView(registers, index) }
}

/**
 * Empties such a trash, and returns how many days its file is shown to be in it, and how many items are gone.
 * @param serviceTime of responses; without it, they state none
 */
async function empty(
  trashedAt: number,
  stampedAt: number,
  serviceTime?: number,
): Promise<[days: number, items: number]> {
  const { registers, index, view } = createTrash(trashedAt, stampedAt)
  const listed = listTrash(view, registers).map((item) => (now - (item.trashedAt ?? 0)) / day)
  const base = 'http://service.test'
  const headers = serviceTime === undefined ? {} : { date: new Date(serviceTime).toUTCString() }
  const fetch = async () => Response.json({ kept: [] }, { headers })
  const client = createClient({ network: { name: 'test', api: base, upload: base, gateway: base }, apiKey: 'k', fetch })
  const nothing = async () => undefined
  const state = { client, log: createLog(), index, view: () => view, registers: () => registers }
  const open = { ...state, reload: nothing, readChanges: nothing, removeUploads: () => undefined }
  const { items } = await emptyTrash(open, nothing, {})
  return [listed[0] ?? Number.NaN, items]
}

test.each([
  ['a right clock, long ago', now - 31 * day, now - 31 * day, 31, 1],
  ['a right clock, lately', now - day, now - day, 1, 0],
  ['a clock without a battery, lately', 5000, now - day, 1, 0],
  ['a clock without a battery, long ago', 5000, now - 31 * day, 31, 1],
  ['a right clock, long ago, after one that was fast', now - 31 * day, now + 9000 * day, 31, 1],
  ['a right clock, lately, after one that was fast', now - day, now + 9000 * day, 1, 0],
])('an item that was deleted by %s', async (_clock, trashedAt, stampedAt, days, items) => {
  expect(await empty(trashedAt, stampedAt)).toEqual([days, items])
})

test.each([
  ['ahead of that of the service deletes nothing early', now - 40 * day, 0],
  ['ahead deletes what is due by the time of the service', now - day, 1],
  ['right, or a little ahead, is followed', now - 60_000, 1],
  ['behind that of the service is followed', now + 40 * day, 1],
])('a device whose clock is %s', async (_clock, serviceTime, items) => {
  expect((await empty(now - 31 * day, now - 31 * day, serviceTime))[1]).toBe(items)
})
