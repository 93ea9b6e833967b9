import { CairnError, type Client, cancelUpload, type ResumableState } from '@cairn/sdk'
import { messages } from '../messages/messages.ts'
import { getSession } from '../session/session-store.ts'
import type { PathFile } from '../transfers/path-file.ts'
import { holdUpload } from './hold-upload.ts'
import { changeKept, type KeptFile, type KeptUpload, keepUpload, mayKeep, removeKept } from './kept-uploads.ts'
import type { UploadItem } from './upload-item.ts'

/** An upload in progress, with the part of it that survives the page. */
export type UploadJob = {
  readonly id: string
  readonly name: string
  readonly isEncrypted: boolean
  /** Where it belongs in the drive; undefined without a drive. */
  readonly folderId: string | undefined
  /** The content; undefined after a reload until it is chosen again. */
  item: UploadItem | undefined
  state: ResumableState | undefined
  body: Blob | undefined
  /** Settles once what is known of it is stored, if possible. Changes are stored one after the other, beside the upload. */
  kept: Promise<void>
  /** Releases the lock for other tabs. */
  release: () => void
  /** Whether the user cancelled it; a restart resets it. */
  isDropped: boolean
}

/** Creates a job for an item, and stores it. */
export function createJob(item: UploadItem, isEncrypted: boolean, folderId?: string): UploadJob {
  const id = crypto.randomUUID()
  const job: UploadJob = {
    id,
    name: item.name.trim(),
    isEncrypted,
    folderId,
    item,
    state: undefined,
    body: undefined,
    kept: Promise.resolve(),
    release: () => undefined,
    isDropped: false,
  }
  job.kept = keepJob(job, item)
  return job
}

/** Restores a job of an earlier page; the caller holds its lock. */
export function recallJob(kept: KeptUpload, release: () => void): UploadJob {
  return {
    id: kept.id,
    name: kept.name,
    isEncrypted: kept.isEncrypted,
    folderId: kept.folderId,
    item: kept.blobs === undefined ? undefined : toItem(kept, filesOf(kept, kept.blobs)),
    state: kept.state,
    body: kept.body,
    kept: Promise.resolve(),
    release,
    isDropped: false,
  }
}

/**
 * Builds the item from files that were read again.
 * @throws CairnError FILE_CHANGED if they differ from the original ones
 */
export function toItem(kept: KeptUpload, files: readonly PathFile[]): UploadItem {
  const { name, sizeBytes } = kept
  const found = kept.files.map((wanted) => {
    const path = kept.kind === 'file' ? undefined : wanted.path
    const one = files.find(
      (candidate) => (path === undefined || candidate.path === path) && isSame(candidate.file, wanted),
    )
    if (one === undefined) {
      throw new CairnError('FILE_CHANGED', {
        message: messages.transfers.notTheFile(wanted.path),
        hint: messages.transfers.notTheFileHint,
      })
    }
    return { path: wanted.path, file: one.file }
  })
  const [first] = found
  if (kept.kind === 'file' && first !== undefined)
    return { id: kept.id, kind: 'file', name, sizeBytes, file: first.file }
  return { id: kept.id, kind: 'folder', name, sizeBytes, files: found }
}

/** Size and time are a quick check; the hash decides before a byte is sent. */
function isSame(file: File, wanted: KeptFile): boolean {
  return file.size === wanted.sizeBytes && file.lastModified === wanted.modifiedAt
}

function filesOf(kept: KeptUpload, blobs: readonly Blob[]): PathFile[] {
  return kept.files.flatMap(({ path, type, modifiedAt }, at) => {
    const blob = blobs[at]
    if (blob === undefined) return []
    return [{ path, file: new File([blob], path.split('/').at(-1) ?? path, { type, lastModified: modifiedAt }) }]
  })
}

async function keepJob(job: UploadJob, item: UploadItem): Promise<void> {
  const account = getSession()?.address
  const release = await holdUpload(job.id)
  if (account === undefined || release === undefined) return
  job.release = release
  const files = item.kind === 'file' ? [{ path: item.file.name, file: item.file }] : item.files
  const sizes = files.map(({ file }) => file.size)
  // Plain bytes of encrypted uploads are not stored.
  const isSmall = !job.isEncrypted && (await mayKeep(sizes))
  await keepUpload({
    id: job.id,
    account,
    name: job.name,
    kind: item.kind,
    isEncrypted: job.isEncrypted,
    ...(job.folderId === undefined ? {} : { folderId: job.folderId }),
    sizeBytes: item.sizeBytes,
    files: files.map(({ path, file }) => ({
      path,
      sizeBytes: file.size,
      modifiedAt: file.lastModified,
      type: file.type,
    })),
    ...(isSmall ? { blobs: files.map(({ file }) => file) } : {}),
    ...(item.handle === undefined ? {} : { handle: item.handle }),
    keptBytes: isSmall ? sizes.reduce((sum, size) => sum + size, 0) : 0,
    createdAt: Date.now(),
  })
}

/** Stores its state at the service. The upload does not wait: a page that closes before only restarts it. */
export function noteState(job: UploadJob, state: ResumableState): void {
  job.state = state
  storeNext(job, () => changeKept(job.id, { state }))
}

/** Stores the encrypted bytes, if there is space. */
export function noteBody(job: UploadJob, body: Blob): void {
  job.body = body
  storeNext(job, async () => {
    if (await mayKeep([body.size])) await changeKept(job.id, { body, keptBytes: body.size })
  })
}

/** The end of the job reports a failure. */
function storeNext(job: UploadJob, store: () => Promise<void>): void {
  job.kept = job.kept.then(store)
  job.kept.catch(() => undefined)
}

/** Stores whether the user paused it, so that it stays paused after a reload. */
export async function notePause(job: UploadJob, isPaused: boolean): Promise<void> {
  await job.kept
  await changeKept(job.id, { isPaused })
}

/** Clears its state, so that it restarts. */
export async function clearState(job: UploadJob): Promise<void> {
  const { item, id } = job
  job.state = undefined
  job.body = undefined
  if (item !== undefined) await changeKept(id, { keptBytes: 0 })
}

/** Reactivates a cancelled job. */
export function reviveJob(job: UploadJob): void {
  if (!job.isDropped) return
  job.isDropped = false
  if (job.item !== undefined) job.kept = keepJob(job, job.item)
}

/** Removes a finished job. */
export async function endJob(job: UploadJob): Promise<void> {
  await job.kept
  await removeKept(job.id)
  job.release()
}

/** Removes a cancelled job, here and at the service. */
export async function dropJob(client: Client, job: UploadJob): Promise<void> {
  const { state } = job
  job.isDropped = true
  job.state = undefined
  job.body = undefined
  await endJob(job)
  if (state !== undefined) await cancelUpload(client, state.id)
}
