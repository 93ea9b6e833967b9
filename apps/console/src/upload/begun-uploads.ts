import * as v from 'valibot'
import { openKeptList } from '../browser/kept-list.ts'
import { holdUpload } from './hold-upload.ts'
import { type KeptUpload, keepUpload, readKept } from './kept-uploads.ts'

const begunUpload = v.object({
  id: v.string(),
  account: v.string(),
  name: v.string(),
  kind: v.picklist(['file', 'folder']),
  isEncrypted: v.boolean(),
  isPrivate: v.exactOptional(v.boolean()),
  folderId: v.exactOptional(v.string()),
  sizeBytes: v.number(),
  files: v.array(v.object({ path: v.string(), sizeBytes: v.number(), modifiedAt: v.number(), type: v.string() })),
  keptBytes: v.number(),
  createdAt: v.number(),
})

/** Maximum number of uploads, and of their files, because writing them blocks the page. */
const maxUploads = 500
const maxFiles = 2_000

/**
 * Uploads that the user has just started and that IndexedDB does not contain yet. If a page is closed immediately, only writes to
 * local storage are complete.
 */
const begun = openKeptList('cairn.uploads', begunUpload, maxUploads)

/** Records uploads, unless they have too many files. */
export function noteBegun(uploads: readonly KeptUpload[]): void {
  const fileCount = uploads.reduce((sum, { files }) => sum + files.length, 0)
  if (fileCount <= maxFiles)
    begun.write([...begun.read(), ...uploads.map((one) => ({ ...one, files: [...one.files] }))])
}

/** Removes the records of uploads that IndexedDB contains. */
export function clearBegun(ids: readonly string[]): void {
  const known = new Set(ids)
  const noted = begun.read()
  const left = noted.filter(({ id }) => !known.has(id))
  if (left.length < noted.length) begun.write(left)
}

/** Stores the recorded uploads whose page was closed before it could. */
export async function adoptBegun(): Promise<void> {
  for (const upload of begun.read()) {
    // Another tab is about to store it.
    const release = await holdUpload(upload.id)
    if (release === undefined) continue
    // Read again under the lock: it may have ended meanwhile.
    const isNoted = begun.read().some(({ id }) => id === upload.id)
    if (isNoted && (await readKept(upload.id)) === undefined) await keepUpload(upload)
    clearBegun([upload.id])
    release()
  }
}
