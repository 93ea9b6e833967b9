import { CairnError, type Client, cancelUpload, type ResumableState } from '@cairn/sdk'
import { getSession } from '../session/session-store.ts'
import { words } from '../words/words.ts'
import { holdUpload } from './hold-upload.ts'
import { changeKept, type KeptFile, type KeptUpload, keepUpload, mayKeep, removeKept } from './kept-uploads.ts'
import type { PathFile, UploadItem } from './upload-item.ts'

/** An upload on its way, and what of it outlives the page. */
export type UploadJob = {
  readonly id: string
  readonly name: string
  readonly isEncrypted: boolean
  /** What is sent; undefined until it was chosen again after a reload. */
  item: UploadItem | undefined
  state: ResumableState | undefined
  body: Blob | undefined
  /** Settles when it is kept, as far as it can be. */
  kept: Promise<void>
  /** Lets other tabs have it. */
  release: () => void
  /** Nobody wants it, unless it is begun once more. */
  isDropped: boolean
}

/** Makes a job of what was chosen, and keeps it. */
export function createJob(item: UploadItem, isEncrypted: boolean): UploadJob {
  const id = crypto.randomUUID()
  const job: UploadJob = {
    id,
    name: item.name.trim(),
    isEncrypted,
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

/** A job of an earlier page; the caller holds it. */
export function recallJob(kept: KeptUpload, release: () => void): UploadJob {
  return {
    id: kept.id,
    name: kept.name,
    isEncrypted: kept.isEncrypted,
    item: kept.blobs === undefined ? undefined : toItem(kept, filesOf(kept, kept.blobs)),
    state: kept.state,
    body: kept.body,
    kept: Promise.resolve(),
    release,
    isDropped: false,
  }
}

/** What is sent, of files that were read again. @throws CairnError FILE_CHANGED when they are not those that it began with */
export function toItem(kept: KeptUpload, files: readonly PathFile[]): UploadItem {
  const { name, sizeBytes } = kept
  const found = kept.files.map((wanted) => {
    const path = kept.kind === 'file' ? undefined : wanted.path
    const one = files.find(
      (candidate) => (path === undefined || candidate.path === path) && isSame(candidate.file, wanted),
    )
    if (one === undefined) {
      throw new CairnError('FILE_CHANGED', {
        message: words.transfers.notTheFile(wanted.path),
        hint: words.transfers.notTheFileHint,
      })
    }
    return { path: wanted.path, file: one.file }
  })
  const [first] = found
  if (kept.kind === 'file' && first !== undefined)
    return { id: kept.id, kind: 'file', name, sizeBytes, file: first.file }
  return { id: kept.id, kind: 'folder', name, sizeBytes, files: found }
}

/** Size and time tell at once; before a byte is sent its hash tells for certain. */
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
  // The bytes of what is to be encrypted are not left lying here in clear.
  const isSmall = !job.isEncrypted && (await mayKeep(sizes))
  await keepUpload({
    id: job.id,
    account,
    name: job.name,
    kind: item.kind,
    isEncrypted: job.isEncrypted,
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

/** Notes how far it is at the service. */
export async function noteState(job: UploadJob, state: ResumableState): Promise<void> {
  job.state = state
  await job.kept
  await changeKept(job.id, { state })
}

/** Notes what an encrypted upload sends, where there is room for it. */
export async function noteBody(job: UploadJob, body: Blob): Promise<void> {
  job.body = body
  await job.kept
  if (await mayKeep([body.size])) await changeKept(job.id, { body, keptBytes: body.size })
}

/** Forgets how far it was: it begins anew. */
export async function forgetState(job: UploadJob): Promise<void> {
  const { item, id } = job
  job.state = undefined
  job.body = undefined
  if (item !== undefined) await changeKept(id, { keptBytes: 0 })
}

/** One that was given up is wanted again. */
export function reviveJob(job: UploadJob): void {
  if (!job.isDropped) return
  job.isDropped = false
  if (job.item !== undefined) job.kept = keepJob(job, job.item)
}

/** It is over: nothing of it stays here. */
export async function endJob(job: UploadJob): Promise<void> {
  await job.kept
  await removeKept(job.id)
  job.release()
}

/** Nobody wants it any more: nothing of it stays, here and at the service. */
export async function dropJob(client: Client, job: UploadJob): Promise<void> {
  const { state } = job
  job.isDropped = true
  job.state = undefined
  job.body = undefined
  await endJob(job)
  if (state !== undefined) await cancelUpload(client, state.id)
}
