import { CairnError, type Client, cancelUpload, type ResumableState } from '@cairn/sdk'
import { messages } from '../messages/messages.ts'
import { asWorded } from '../messages/worded.ts'
import { getSession } from '../session/session-store.ts'
import { emptyFolderFile, isEmptyFolder, type PathFile } from '../transfers/path-file.ts'
import { clearBegun, noteBegun } from './begun-uploads.ts'
import { holdUpload } from './hold-upload.ts'
import {
  changeKept,
  type KeptBytes,
  type KeptFile,
  type KeptUpload,
  keepBytes,
  keepUpload,
  removeBytes,
  removeKept,
} from './kept-uploads.ts'
import type { UploadAccess, UploadItem } from './upload-item.ts'
import { belongsInFolder } from './upload-place.ts'

/** An upload in progress, with the part of it that survives the page. */
export type UploadJob = {
  readonly id: string
  /** Address of the account that started it. */
  readonly account: string | undefined
  readonly name: string
  readonly isEncrypted: boolean
  readonly isPrivate: boolean
  /** Where it belongs in the drive; undefined without a drive. */
  readonly folderId: string | undefined
  /** The content; undefined after a reload until it is chosen again. */
  item: UploadItem | undefined
  state: ResumableState | undefined
  body: Blob | undefined
  /** Settles once the state of the upload is stored, if possible. Changes are stored one after the other. */
  kept: Promise<void>
  /** The same for its bytes, which are stored separately. */
  keptBytes: Promise<void>
  /** Releases the lock for other tabs. */
  release: () => void
  /** Whether the user cancelled it; a restart resets it. */
  isDropped: boolean
}

/**
 * Creates the jobs of items, and stores them. They are recorded before this function returns, so that a page that is closed
 * immediately does not lose any.
 */
export function createJobs(
  items: readonly UploadItem[],
  access: UploadAccess,
  folderId?: string,
): { job: UploadJob; sizeBytes: number }[] {
  const account = getSession()?.address
  const created = items.map((item) => {
    const job = createJob(account, item, access, folderId)
    if (account === undefined) return { job, item, kept: undefined }
    // Locked before it is recorded, so that no reader of the record locks it first.
    return { job, item, kept: { row: toRow(job, item, account), lock: holdUpload(job.id) } }
  })
  const rows = created.flatMap(({ kept }) => kept?.row ?? [])
  noteBegun(rows)
  for (const { job, item, kept } of created) if (kept !== undefined) keepJob(job, item, kept.row, kept.lock)
  void Promise.allSettled(created.map(({ job }) => job.kept)).then(() => clearBegun(rows.map(({ id }) => id)))
  return created.map(({ job, item: { sizeBytes } }) => ({ job, sizeBytes }))
}

function createJob(
  account: string | undefined,
  item: UploadItem,
  access: UploadAccess,
  folderId: string | undefined,
): UploadJob {
  return {
    id: crypto.randomUUID(),
    account,
    name: item.name.trim(),
    isEncrypted: access === 'encrypted',
    isPrivate: access === 'private',
    folderId,
    item,
    state: undefined,
    body: undefined,
    kept: Promise.resolve(),
    keptBytes: Promise.resolve(),
    release: () => undefined,
    isDropped: false,
  }
}

/** Restores a job of an earlier page, with its stored bytes; the caller holds its lock. */
export function recallJob(kept: KeptUpload, bytes: KeptBytes | undefined, release: () => void): UploadJob {
  return {
    id: kept.id,
    account: kept.account,
    name: kept.name,
    isEncrypted: kept.isEncrypted,
    isPrivate: kept.isPrivate === true,
    folderId: kept.folderId,
    item: kept.isEncrypted || bytes === undefined ? undefined : toItem(kept, filesOf(kept, bytes)),
    // A completed upload has a CID, and its state at the service is gone.
    state: kept.cid === undefined ? kept.state : undefined,
    body: kept.isEncrypted ? bytes?.[0] : undefined,
    kept: Promise.resolve(),
    keptBytes: Promise.resolve(),
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
  // Grouped, because folders may have a hundred thousand files: to search them all for each would take minutes.
  const grouped = kept.kind === 'folder' ? Map.groupBy(files, ({ path }) => path) : groupAlike(files)
  const found = kept.files.map((wanted) => {
    // A folder that is chosen in a dialog again reports only its files.
    if (isEmptyFolder({ size: wanted.sizeBytes, type: wanted.type }))
      return { path: wanted.path, file: emptyFolderFile(wanted.path) }
    const one = findFile(kept, wanted, files, grouped)
    if (one === undefined) {
      throw asWorded(
        new CairnError('FILE_CHANGED', {
          message: messages.transfers.notTheFile(wanted.path),
          hint: messages.transfers.notTheFileHint,
        }),
      )
    }
    return { path: wanted.path, file: one.file }
  })
  const [first] = found
  if (kept.kind === 'file' && first !== undefined) return { id: kept.id, kind: 'file', name, sizeBytes, ...first }
  return { id: kept.id, kind: 'folder', name, sizeBytes, isChosen: false, files: found }
}

/**
 * Finds a file of an upload among those chosen. A single file may have been renamed meanwhile; among several, it keeps its path,
 * as far as both are known, because others may have the same size and time, and in other folders the same name.
 */
function findFile(
  { kind }: KeptUpload,
  wanted: KeptFile,
  files: readonly PathFile[],
  grouped: ReadonlyMap<string, readonly PathFile[]>,
): PathFile | undefined {
  const fits = ({ file }: PathFile) => isSame(file, wanted)
  if (kind === 'folder') return grouped.get(wanted.path)?.find(fits)
  if (files.length === 1) return files.find(fits)
  const alike = grouped.get(keyOf(wanted.path, wanted.sizeBytes, wanted.modifiedAt))
  return alike?.find(({ path }) => isPathEnd(path, wanted.path))
}

const alikeIn = new WeakMap<readonly PathFile[], Map<string, PathFile[]>>()

/** Groups files by name, size and time, once for all of the thousands of uploads that look for theirs among them. */
function groupAlike(files: readonly PathFile[]): Map<string, PathFile[]> {
  const known = alikeIn.get(files)
  if (known !== undefined) return known
  const groups = Map.groupBy(files, ({ path, file }) => keyOf(path, file.size, file.lastModified))
  alikeIn.set(files, groups)
  return groups
}

function keyOf(path: string, sizeBytes: number, modifiedAt: number): string {
  return `${sizeBytes} ${modifiedAt} ${path.slice(path.lastIndexOf('/') + 1)}`
}

/** Returns whether one of two paths is the end of the other: users may choose a file, its folder, or one around it. */
function isPathEnd(one: string, other: string): boolean {
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`)
}

/** Returns whether all files of an upload are among those chosen. */
export function hasFiles(kept: KeptUpload, files: readonly PathFile[]): boolean {
  try {
    toItem(kept, files)
    return true
  } catch (error) {
    if (CairnError.is(error, 'FILE_CHANGED')) return false
    throw error
  }
}

/** Compares size and time as a quick check; the hash decides before a byte is sent. */
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

function toRow(job: UploadJob, item: UploadItem, account: string): KeptUpload {
  return {
    id: job.id,
    account,
    name: job.name,
    kind: item.kind,
    isEncrypted: job.isEncrypted,
    isPrivate: job.isPrivate,
    ...(job.folderId === undefined ? {} : { folderId: job.folderId }),
    sizeBytes: item.sizeBytes,
    files: filesIn(item).map(({ path, file }) => ({
      path,
      sizeBytes: file.size,
      modifiedAt: file.lastModified,
      type: file.type,
    })),
    keptBytes: 0,
    createdAt: Date.now(),
  }
}

function filesIn(item: UploadItem): readonly PathFile[] {
  return item.kind === 'file' ? [{ path: item.path ?? item.file.name, file: item.file }] : item.files
}

/** Stores an upload under its lock. Its bytes follow, and the upload does not wait for them. */
function keepJob(job: UploadJob, item: UploadItem, row: KeptUpload, lock?: ReturnType<typeof holdUpload>): void {
  storeNext(job, async () => {
    const release = await (lock ?? holdUpload(job.id))
    if (release === undefined) return
    job.release = release
    await keepUpload({ ...row, ...(item.handle === undefined ? {} : { handle: item.handle }) })
  })
  // Plain bytes of encrypted uploads are not stored.
  if (!job.isEncrypted) {
    storeBytes(
      job,
      filesIn(item).map(({ file }) => file),
    )
  }
}

/**
 * Stores the state of an upload at the service.
 * @returns settles once it is stored, before the first byte is sent, so that a later page does not send it again
 */
export function noteState(job: UploadJob, state: ResumableState): Promise<void> {
  job.state = state
  changeRow(job, { state })
  return job.kept
}

/**
 * Stores the encrypted bytes, if there is space. The state at the service is stored after them, because it is useless without:
 * another encryption would produce other bytes.
 */
export function noteBody(job: UploadJob, body: Blob): void {
  job.body = body
  storeNext(job, async () => {
    const keptBytes = await keepBytes(job.id, [body])
    // Bytes stored before are of an earlier encryption, and do not continue the one that the service has.
    if (keptBytes === 0) await removeBytes(job.id)
    await changeKept(job.id, { keptBytes })
  })
}

/** Stores the bytes after the upload itself. */
function storeBytes(job: UploadJob, bytes: KeptBytes): void {
  const isKept = job.kept
  job.keptBytes = job.keptBytes.then(async () => {
    await isKept
    const keptBytes = await keepBytes(job.id, bytes)
    if (keptBytes > 0) changeRow(job, { keptBytes })
  })
  job.keptBytes.catch(() => undefined)
}

function changeRow(job: UploadJob, change: Partial<KeptUpload>): void {
  storeNext(job, async () => {
    await changeKept(job.id, change)
  })
}

/** A failure is reported at the end of the job. */
function storeNext(job: UploadJob, store: () => Promise<void>): void {
  job.kept = job.kept.then(store)
  job.kept.catch(() => undefined)
}

/** Stores whether the user paused it, so that it stays paused after a reload. */
export async function notePause(job: UploadJob, isPaused: boolean): Promise<void> {
  changeRow(job, { isPaused })
  await job.kept
}

/** Clears its state, so that it restarts. */
export async function clearState(job: UploadJob): Promise<void> {
  job.state = undefined
  job.body = undefined
  await job.keptBytes
  await removeBytes(job.id)
  changeRow(job, { keptBytes: 0 })
  await job.kept
}

/** Reactivates a cancelled job. */
export function reviveJob(job: UploadJob): void {
  if (!job.isDropped) return
  job.isDropped = false
  const account = getSession()?.address
  if (job.item !== undefined && account !== undefined) keepJob(job, job.item, toRow(job, job.item, account))
}

/** Ends a stored job. If the upload belongs in a folder, the job is kept without its bytes until it is there. */
export async function finishJob(job: UploadJob, cid: string | undefined): Promise<void> {
  if (cid === undefined || !belongsInFolder(job)) return endJob(job)
  await job.keptBytes
  storeNext(job, async () => {
    const stored = { cid, keptBytes: 0 }
    const { item, account } = job
    if (!(await changeKept(job.id, stored)) && item !== undefined && account !== undefined) {
      // It was beyond the maximum number of stored uploads.
      await keepUpload({ ...toRow(job, item, account), ...stored })
    }
    await removeBytes(job.id)
  })
  await job.kept
  clearBegun([job.id])
}

/** Removes a finished job. */
export async function endJob(job: UploadJob): Promise<void> {
  await job.keptBytes
  await job.kept
  await removeKept(job.id)
  // Otherwise the record stays until all uploads of the same start are stored, and another page would restore this one.
  clearBegun([job.id])
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
