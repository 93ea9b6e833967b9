import type { CallOptions } from '../request.ts'
import { type Deletions, deleteUploads, type OpenState } from './delete-uploads.ts'
import type { DriveItem } from './view/items.ts'
import { type DriveUpload, givesContent } from './view/nodes.ts'
import { compareUploads, type UploadIndex } from './view/upload-index.ts'
import type { View } from './view/view.ts'

/** Content that was uploaded several times. */
export type DriveDuplicates = {
  /** The item that has the content. */
  item: DriveItem
  /**
   * Uploads of the content that only use storage: an earlier one has the same access. Excludes the upload that decides the
   * content of the item, objects of S3 buckets and pins, because these would disappear from their bucket or no longer be pinned.
   */
  copies: DriveUpload[]
}

/** What {@link Drive.removeCopies} deleted. */
export type RemovedCopies = { uploads: number; bytes: number }

/** Finds content that was uploaded several times, most bytes in copies first. */
export function findDuplicates(view: View, { rows, first }: UploadIndex): DriveDuplicates[] {
  const repeated = new Set<string>()
  for (const { id, cid } of rows) if (first.get(cid)?.id !== id) repeated.add(cid)
  const groups = new Map<string, Map<string, DriveUpload[]>>()
  for (const upload of rows) {
    if (upload.managedBy !== undefined || !repeated.has(upload.cid)) continue
    const ofCid = groups.get(upload.cid) ?? new Map<string, DriveUpload[]>()
    groups.set(upload.cid, ofCid)
    const access = upload.encryption ? 'encrypted' : upload.private ? 'private' : 'public'
    const known = ofCid.get(access)
    if (known === undefined) ofCid.set(access, [upload])
    else known.push(upload)
  }
  const found: DriveDuplicates[] = []
  for (const [cid, ofCid] of groups) {
    const node = view.holderOf(cid)
    if (node === undefined) continue
    const copies = [...ofCid.values()].flatMap(withoutOldest).filter((upload) => !givesContent(node, upload))
    if (copies.length > 0) found.push({ item: view.itemOf(node), copies })
  }
  return found.sort((a, b) => sumBytes(b.copies) - sumBytes(a.copies))
}

/** Deletes copies. Lists the uploads again first, because another device may have deleted some of them. */
export async function removeCopies(
  state: OpenState,
  { ids, ...options }: CallOptions & { ids?: readonly string[] },
): Promise<RemovedCopies> {
  await state.reload(options)
  const wanted = ids && new Set(ids)
  const copies = findDuplicates(state.view(), state.index)
    .flatMap((one) => one.copies)
    .filter(({ id }) => wanted === undefined || wanted.has(id))
  const done: Deletions = { deleted: new Set(), kept: new Set() }
  try {
    await deleteUploads(state, () => copies, done, options)
  } finally {
    state.removeUploads(done.deleted)
  }
  const removed = copies.filter(({ id }) => done.deleted.has(id))
  return { uploads: removed.length, bytes: sumBytes(removed) }
}

function withoutOldest(uploads: readonly DriveUpload[]): DriveUpload[] {
  const oldest = uploads.reduce((one, other) => (compareUploads(one, other) < 0 ? one : other))
  return uploads.filter((upload) => upload !== oldest)
}

function sumBytes(uploads: readonly DriveUpload[]): number {
  return uploads.reduce((sum, { fileSizeInBytes }) => sum + Number(fileSizeInBytes), 0)
}
