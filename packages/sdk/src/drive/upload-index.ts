import type { DriveUpload, FirstUploads } from './nodes.ts'

/** The uploads of an account, and the first one of each CID. */
export type UploadIndex = {
  /** As the service lists them: newest first. */
  readonly rows: readonly DriveUpload[]
  readonly first: FirstUploads
  has(id: string): boolean
  /** Adds uploads that are newer than all others. @returns CIDs of which the first upload changed */
  add(newer: readonly DriveUpload[]): ReadonlySet<string>
  /** Takes another list. @returns as `add`, and whether any upload was added, removed or renamed */
  replace(rows: readonly DriveUpload[]): { changed: ReadonlySet<string>; isSame: boolean }
}

export function createUploadIndex(): UploadIndex {
  let rows: readonly DriveUpload[] = []
  let ids = new Set<string>()
  let first = new Map<string, DriveUpload>()
  return {
    get rows() {
      return rows
    },
    get first() {
      return first
    },
    has: (id) => ids.has(id),
    add(newer) {
      const changed = new Set<string>()
      for (const upload of newer) {
        ids.add(upload.id)
        if (takeFirst(first, upload)) changed.add(upload.cid)
      }
      rows = [...newer, ...rows]
      return changed
    },
    replace(next) {
      if (next === rows) return { changed: new Set(), isSame: true }
      const before = { rows, first }
      ids = new Set()
      first = new Map()
      for (const upload of next) {
        ids.add(upload.id)
        takeFirst(first, upload)
      }
      rows = next
      const changed = new Set<string>()
      for (const [cid, upload] of first) {
        const known = before.first.get(cid)
        if (known === undefined || !isEqual(known, upload)) changed.add(cid)
      }
      for (const cid of before.first.keys()) if (!first.has(cid)) changed.add(cid)
      return { changed, isSame: isEqualList(before.rows, next) }
    },
  }
}

/** Oldest first: a total order, the same on every device. */
export function compareUploads(a: DriveUpload, b: DriveUpload): number {
  return a.createdAt - b.createdAt || (a.cid < b.cid ? -1 : a.cid > b.cid ? 1 : a.id < b.id ? -1 : 1)
}

function takeFirst(first: Map<string, DriveUpload>, upload: DriveUpload): boolean {
  const known = first.get(upload.cid)
  if (known !== undefined && compareUploads(known, upload) < 0) return false
  first.set(upload.cid, upload)
  return true
}

function isEqual(one: DriveUpload, other: DriveUpload): boolean {
  return (
    one.id === other.id &&
    one.fileName === other.fileName &&
    one.createdAt === other.createdAt &&
    one.fileSizeInBytes === other.fileSizeInBytes &&
    one.mimeType === other.mimeType &&
    one.encryption === other.encryption &&
    one.private === other.private
  )
}

function isEqualList(one: readonly DriveUpload[], other: readonly DriveUpload[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ id, fileName, managedBy }, at) => {
      const same = other[at]
      return same?.id === id && same.fileName === fileName && same.managedBy === managedBy
    })
  )
}
