import type { ResumableState } from '@cairn/sdk'
import { openTable } from '../ui/open-table.ts'

/**
 * Unfinished uploads of this browser, in IndexedDB: what a reload would take away otherwise. Nothing secret is among it: keys
 * lie at the key nodes, and of an encrypted upload only the encrypted bytes are kept.
 */
const table = openTable('cairn-uploads', 'uploads', { keyPath: 'id' })

/** A file of an unfinished upload, to be known again when it is chosen again. */
export type KeptFile = { path: string; sizeBytes: number; modifiedAt: number; type: string }

/** An unfinished upload. */
export type KeptUpload = {
  id: string
  /** Address of the account that began it. */
  account: string
  name: string
  kind: 'file' | 'folder'
  isEncrypted: boolean
  sizeBytes: number
  /** In the order in which they are sent. */
  files: readonly KeptFile[]
  /** The files themselves, where they are small. */
  blobs?: readonly Blob[]
  /** The file or folder as the browser gave it: it can be read again once its user allows it. */
  handle?: FileSystemHandle
  /** Bytes of `blobs` and `body`, for the bound of all. */
  keptBytes: number
  /** How far it was begun at the service. */
  state?: ResumableState
  /** Of encrypted uploads: what is sent. */
  body?: Blob
  createdAt: number
}

/** One file, and all that is kept of all uploads. */
const fileBytesMost = 64 * 1024 * 1024
const allBytesMost = 256 * 1024 * 1024
/** Uploads kept; a drop of thousands of files goes on without. */
const uploadsMost = 500

/** Whether so many bytes may be kept beside what is. */
export async function mayKeep(sizes: readonly number[]): Promise<boolean> {
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  if (bytes > allBytesMost || sizes.some((size) => size > fileBytesMost)) return false
  const kept = (await listKept()).reduce((sum, { keptBytes }) => sum + keptBytes, 0)
  return kept + bytes <= allBytesMost
}

/** Keeps an upload. Where the browser has no room for it, the upload goes on without: answers whether it is kept. */
export async function keepUpload(upload: KeptUpload): Promise<boolean> {
  if ((await listKept()).length >= uploadsMost) return false
  return put(upload)
}

/** Notes what is new of an upload that is kept. */
export async function changeKept(id: string, change: Partial<KeptUpload>): Promise<void> {
  const upload = (await listKept()).find((one) => one.id === id)
  if (upload === undefined) return
  await put({ ...upload, ...change })
}

export async function removeKept(id: string): Promise<void> {
  await table('readwrite', (rows) => rows.delete(id))
}

/** All that is kept, oldest first. */
export async function listKept(): Promise<KeptUpload[]> {
  // Only this module writes there, and its shape goes with the name of the database.
  const all = await table<KeptUpload[]>('readonly', (rows) => rows.getAll())
  return (all.isDone ? all.value : []).toSorted((a, b) => a.createdAt - b.createdAt)
}

async function put(upload: KeptUpload): Promise<boolean> {
  return (await table('readwrite', (rows) => rows.put(upload))).isDone
}
