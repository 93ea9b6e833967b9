import type { ResumableState } from '@cairn/sdk'
import { openTable } from '../browser/open-table.ts'
import { createSpace, type KeptSpace } from './kept-space.ts'

/**
 * Unfinished uploads of this browser, in IndexedDB: data that a reload would lose. Contains no secrets: keys are at the
 * key nodes, and of an encrypted upload only the encrypted bytes are stored.
 */
const table = openTable('cairn-uploads', 'uploads', { keyPath: 'id' })

/** Bytes of the uploads, stored separately, because each change of a row would write all of them again. */
const bytesTable = openTable('cairn-upload-bytes', 'bytes')

/** The files of an upload in sending order; the one body to send, if it is encrypted. */
export type KeptBytes = readonly Blob[]

/** A file of an unfinished upload, with the properties to recognise it when it is chosen again. */
export type KeptFile = { path: string; sizeBytes: number; modifiedAt: number; type: string }

/** An unfinished upload. */
export type KeptUpload = {
  id: string
  /** Address of the account that started it. */
  account: string
  name: string
  kind: 'file' | 'folder'
  isEncrypted: boolean
  /** Absent in rows of earlier versions. */
  isPrivate?: boolean
  /** Id of its folder in the drive; empty for the root. */
  folderId?: string
  sizeBytes: number
  /** In sending order. */
  files: readonly KeptFile[]
  /** The file or folder handle of the browser: readable again after the user allows it. */
  handle?: FileSystemHandle
  /** Bytes that are stored of it, for the total limit. */
  keptBytes: number
  /** CID of a stored upload that is not in its folder yet. */
  cid?: string
  /** State of the upload at the service. */
  state?: ResumableState
  /** Whether the user paused it. */
  isPaused?: boolean
  createdAt: number
}

/** Maximum number of stored uploads. Those beyond it end with their page, which the upload sheet says. */
export const maxKeptUploads = 10_000

/** Uploads beyond the limits are not stored and continue without. */
const limits = { maxUploads: maxKeptUploads, maxFileBytes: 64 * 1024 * 1024, maxTotalBytes: 256 * 1024 * 1024 }

/**
 * Stores an upload. Without space in the browser, the upload continues unstored.
 * @returns whether it is stored
 */
export async function keepUpload(upload: KeptUpload): Promise<boolean> {
  const space = await tally()
  const { id, keptBytes } = upload
  if (!space.add(id, keptBytes)) return false
  if (await put(upload)) return true
  space.remove(id)
  return false
}

/**
 * Stores the bytes of a stored upload, if they are within the limits and there is space.
 * @returns the number of stored bytes
 */
export async function keepBytes(id: string, bytes: KeptBytes): Promise<number> {
  const sizes = bytes.map(({ size }) => size)
  const space = await tally()
  if (!space.hold(id, sizes)) return 0
  const { isDone } = await bytesTable('readwrite', (rows) => rows.put(bytes, id))
  if (isDone) return sizes.reduce((sum, size) => sum + size, 0)
  space.set(id, 0)
  return 0
}

/** Returns the stored bytes of an upload. */
export async function readBytes(id: string): Promise<KeptBytes | undefined> {
  const found = await bytesTable<KeptBytes | undefined>('readonly', (rows) => rows.get(id))
  return found.isDone ? found.value : undefined
}

export async function removeBytes(id: string): Promise<void> {
  await bytesTable('readwrite', (rows) => rows.delete(id))
}

/** Removes bytes without an upload, which remain if a page is closed between the two writes. */
export async function sweepBytes(): Promise<void> {
  const found = await bytesTable('readonly', (rows) => rows.getAllKeys())
  if (!found.isDone || found.value.length === 0) return
  // Uploads are listed after the bytes, because they are stored before them.
  const known = new Set((await listKept()).map(({ id }) => id))
  for (const id of found.value) if (typeof id === 'string' && !known.has(id)) await removeBytes(id)
}

/** Returns a stored upload; undefined if it ended. */
export async function readKept(id: string): Promise<KeptUpload | undefined> {
  const found = await table<KeptUpload | undefined>('readonly', (rows) => rows.get(id))
  return found.isDone ? found.value : undefined
}

/** Updates a stored upload. @returns whether it is stored */
export async function changeKept(id: string, change: Partial<KeptUpload>): Promise<boolean> {
  const found = await readKept(id)
  if (found === undefined || !(await put({ ...found, ...change }))) return false
  const space = await tally()
  // Bytes that are being written are counted already.
  if (change.keptBytes !== undefined || !space.has(id)) space.set(id, change.keptBytes ?? found.keptBytes)
  return true
}

export async function removeKept(id: string): Promise<void> {
  await table('readwrite', (rows) => rows.delete(id))
  await removeBytes(id)
  const space = await tally()
  space.remove(id)
}

const byName = new Intl.Collator(undefined, { numeric: true })

/** Lists all stored uploads, oldest first. */
export async function listKept(): Promise<KeptUpload[]> {
  // Only this module writes there, and the database name changes with the format.
  const all = await table<KeptUpload[]>('readonly', (rows) => rows.getAll())
  // Those of one start have the same time.
  return (all.isDone ? all.value : []).toSorted((a, b) => a.createdAt - b.createdAt || byName.compare(a.name, b.name))
}

async function put(upload: KeptUpload): Promise<boolean> {
  return (await table('readwrite', (rows) => rows.put(upload))).isDone
}

let tallied: Promise<KeptSpace> | undefined

/**
 * Returns the stored bytes of each upload: as first read by the page, plus its own changes. Changes of other tabs are missing,
 * which only makes the limits less exact.
 */
function tally(): Promise<KeptSpace> {
  tallied ??= listKept().then((all) =>
    createSpace(
      limits,
      all.map(({ id, keptBytes }) => [id, keptBytes] as const),
    ),
  )
  return tallied
}
