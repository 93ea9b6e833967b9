import { type DriveUpload, type FirstUploads, isReceived, toShown } from './nodes.ts'

/** The uploads of an account, and the first one of each CID. */
export type UploadIndex = {
  /** As the service lists them: newest first. */
  readonly rows: readonly DriveUpload[]
  readonly first: FirstUploads
  /**
   * Returns when content that was uploaded several times was last uploaded with a name, as the drive shows it, in ms since
   * 1970; undefined if never, or if the content was uploaded once.
   */
  newestAt(cid: string, name: string): number | undefined
  has(id: string): boolean
  /** Adds uploads that are newer than all others. @returns CIDs of which the uploads changed */
  add(newer: readonly DriveUpload[]): ReadonlySet<string>
  /** Takes another list. @returns as `add`, and whether any upload was added, removed or renamed */
  replace(rows: readonly DriveUpload[]): { changed: ReadonlySet<string>; isSame: boolean }
}

/** Times of the newest uploads of a CID by their names, for CIDs with several uploads. */
type Repeats = Map<string, Map<string, number>>

export function createUploadIndex(): UploadIndex {
  let rows: readonly DriveUpload[] = []
  let ids = new Set<string>()
  let first = new Map<string, DriveUpload>()
  let repeats: Repeats = new Map()
  /** @returns whether the CID had no upload, or what is known of it changed */
  const take = (upload: DriveUpload): boolean => {
    const known = first.get(upload.cid)
    if (known === undefined) {
      first.set(upload.cid, upload)
      return true
    }
    const isOlder = compareUploads(upload, known) < 0
    if (isOlder) first.set(upload.cid, upload)
    const isFirstRepeat = noteRepeat(repeats, known)
    return noteRepeat(repeats, upload) || isFirstRepeat || isOlder
  }
  return {
    get rows() {
      return rows
    },
    get first() {
      return first
    },
    newestAt: (cid, name) => repeats.get(cid)?.get(name),
    has: (id) => ids.has(id),
    add(newer) {
      const changed = new Set<string>()
      for (const upload of newer) {
        ids.add(upload.id)
        if (take(upload)) changed.add(upload.cid)
      }
      rows = [...newer, ...rows]
      return changed
    },
    replace(next) {
      if (next === rows) return { changed: new Set(), isSame: true }
      const before = { rows, first, repeats }
      ids = new Set()
      first = new Map()
      repeats = new Map()
      for (const upload of next) {
        ids.add(upload.id)
        take(upload)
      }
      rows = next
      const changed = new Set<string>()
      for (const [cid, upload] of first) {
        const known = before.first.get(cid)
        if (known === undefined || !isEqual(known, upload)) changed.add(cid)
      }
      for (const cid of before.first.keys()) if (!first.has(cid)) changed.add(cid)
      for (const cid of [...before.repeats.keys(), ...repeats.keys()]) {
        if (!areEqualTimes(before.repeats.get(cid), repeats.get(cid))) changed.add(cid)
      }
      return { changed, isSame: isEqualList(before.rows, next) }
    },
  }
}

/** Those of the account itself before those of others, then oldest first: a total order, the same on every device. */
export function compareUploads(a: DriveUpload, b: DriveUpload): number {
  const byOrigin = Number(isReceived(a)) - Number(isReceived(b))
  return byOrigin || a.createdAt - b.createdAt || (a.cid < b.cid ? -1 : a.cid > b.cid ? 1 : a.id < b.id ? -1 : 1)
}

/** @returns whether the upload is the newest of its CID and name */
function noteRepeat(repeats: Repeats, upload: DriveUpload): boolean {
  // A sender does not decide which version is the newest.
  if (isReceived(upload)) return false
  const { cid, fileName, createdAt } = upload
  let times = repeats.get(cid)
  if (times === undefined) {
    times = new Map()
    repeats.set(cid, times)
  }
  const name = toShown(fileName)
  const known = times.get(name)
  if (known !== undefined && known >= createdAt) return false
  times.set(name, createdAt)
  return true
}

function areEqualTimes(one: ReadonlyMap<string, number> | undefined, other: ReadonlyMap<string, number> | undefined) {
  if (one === undefined || other === undefined) return one === other
  return one.size === other.size && [...one].every(([name, at]) => other.get(name) === at)
}

function isEqual(one: DriveUpload, other: DriveUpload): boolean {
  return (
    one.id === other.id &&
    one.fileName === other.fileName &&
    one.createdAt === other.createdAt &&
    one.fileSizeInBytes === other.fileSizeInBytes &&
    one.mimeType === other.mimeType &&
    one.encryption === other.encryption &&
    one.private === other.private &&
    one.uploadLinkId === other.uploadLinkId
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
