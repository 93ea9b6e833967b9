import { splitUploadPath } from '@cairn/protocol'
import {
  CairnError,
  type Client,
  createResumable,
  type EncryptedUploadOptions,
  type EncryptedUploadResult,
  type Progress,
  type ResumableOptions,
  resumeUpload,
  uploadEncrypted,
  uploadEncryptedFolder,
  uploadFile,
  uploadFolder,
} from '@cairn/sdk'
import { createEncryptor } from '../cipher/encrypt-in-worker.ts'
import { offerKeyRepair } from '../key-changes/restore-changes.ts'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { getSettings } from '../theme/settings.ts'
import { storeThumbnail, storeThumbnailOfStored } from '../thumbnails/store-thumbnail.ts'
import type { PathFile } from '../transfers/path-file.ts'
import type { TransferReport } from '../transfers/transfer-store.ts'
import { toReport } from './to-report.ts'
import { refuseDuplicatePaths, type UploadItem } from './upload-item.ts'
import { clearState, dropJob, finishJob, noteBody, noteState, reviveJob, type UploadJob } from './upload-job.ts'
import { waitForNetwork } from './wait-for-network.ts'

/** Larger files are sent in parts: for smaller ones a retry is cheaper than three requests. */
const partsFromBytes = 8 * 1024 * 1024

type Tools = { report: (change: TransferReport) => void; signal: AbortSignal }

/** Sends an upload, or the missing part of it. A call after an error resumes. */
export async function runUpload(client: Client, job: UploadJob, tools: Tools): Promise<{ cid?: string }> {
  reviveJob(job)
  // Nothing is sent of an upload that a later page could not restore.
  await job.kept
  try {
    const result = (await resumeSealed(client, job, tools)) ?? (await sendItem(client, job, tools))
    await finishJob(job, result.cid)
    return result
  } catch (error) {
    // The upload started at the service while the user cancelled it.
    if (job.isDropped && job.state !== undefined) await dropJob(client, job)
    throw error
  }
}

/** Resumes with the stored encrypted bytes; undefined if there are none, or the service has removed the upload. */
async function resumeSealed(
  client: Client,
  job: UploadJob,
  { report, signal }: Tools,
): Promise<{ cid?: string } | undefined> {
  const { state, body } = job
  if (!job.isEncrypted || state === undefined || body === undefined) return undefined
  const meter = createMeter(body.size, report)
  try {
    const cids = await resumeUpload(client, state, body, { signal, onSent: meter, waitToRetry: waiting(report) })
    const result = onlyOf(cids)
    if (result.cid !== undefined) {
      await storeThumbnailOfStored(client, { cid: result.cid, name: job.name, sizeBytes: body.size, signal })
    }
    return result
  } catch (error) {
    if (!CairnError.is(error, 'NOT_FOUND') || job.item === undefined) throw error
    await clearState(job)
    return undefined
  }
}

async function sendItem(client: Client, job: UploadJob, { report, signal }: Tools): Promise<{ cid?: string }> {
  const { item, name, isEncrypted, isPrivate } = job
  if (item === undefined) throw new CairnError('FILE_UNREADABLE')
  const options = {
    // A slash in a name separates folders of the drive, so the service only gets the last part.
    name: item.kind === 'file' ? (splitUploadPath(name).at(-1) ?? name) : name,
    signal,
    onProgress: (progress: Progress) => report(toReport(progress, isEncrypted)),
    ...(item.sizeBytes < partsFromBytes ? {} : { resumable: createResumable(keeping(job, report)) }),
  }
  if (isEncrypted) return uploadSealed(client, item, options)
  // If the response was lost, a retry by the user, also on a later page, is the same upload.
  const plain = { ...options, private: isPrivate, idempotencyKey: job.id }
  if (item.kind === 'file') return uploadFile(client, item.file, plain)
  refuseDuplicatePaths(item.files)
  return uploadFolder(client, nameFolder(item.files, name), plain)
}

/** Stores the state that a resume needs. An encrypted upload without stored bytes restarts after a reload. */
function keeping(job: UploadJob, report: Tools['report']): ResumableOptions {
  return {
    ...(job.state === undefined || job.isEncrypted ? {} : { state: job.state }),
    onState: (state) => noteState(job, state),
    onBody: (body) => noteBody(job, body),
    waitToRetry: waiting(report),
  }
}

/** Reports that it waits for the network while offline. */
function waiting(report: Tools['report']): NonNullable<ResumableOptions['waitToRetry']> {
  return async (pauseMs, signal) => {
    if (!navigator.onLine) report({ stage: 'offline', bytesPerSecond: 0, remainingMs: undefined })
    await waitForNetwork(pauseMs, signal)
  }
}

/** Encrypts in a worker that ends with the upload. */
async function uploadSealed(
  client: Client,
  item: UploadItem,
  given: EncryptedUploadOptions & { name: string },
): Promise<{ cid?: string }> {
  const { encrypt, end } = createEncryptor()
  let lastKey = ''
  const options: typeof given = {
    ...given,
    encrypt: (blob, masterKey, settings) => {
      lastKey = masterKey
      return encrypt(blob, masterKey, settings)
    },
    format: getSettings().fileFormat,
  }
  try {
    if (item.kind === 'file') {
      const stored = await uploadEncrypted(client, item.file, options)
      offerRepair(client, stored, given.name)
      const { cid } = stored
      await storeThumbnail(client, { cid, masterKey: lastKey, file: item.file, name: given.name })
      return { cid }
    }
    refuseDuplicatePaths(item.files)
    const stored = await uploadEncryptedFolder(client, nameFolder(item.files, given.name), { ...options, asOne: true })
    for (const one of stored) offerRepair(client, one, given.name)
    return onlyOf(stored.map(({ cid }) => cid))
  } finally {
    end()
  }
}

/** Reports which key nodes lack the key of a stored upload, and offers to save it there. */
function offerRepair({ network }: Client, { cid, keys: { pending } }: EncryptedUploadResult, name: string): void {
  if (pending.length === 0) return
  const nodes = pending.map(({ node }) => node)
  offerKeyRepair(network, cid, messages.access.keyLacking(markControls(name), nodes))
}

function onlyOf([only, ...others]: readonly string[]): { cid?: string } {
  return only !== undefined && others.length === 0 ? { cid: only } : {}
}

function createMeter(totalBytes: number, report: Tools['report']): (bytes: number) => void {
  const started = performance.now()
  let first: number | undefined
  return (bytes) => {
    first ??= bytes
    const bytesPerSecond = ((bytes - first) * 1000) / Math.max(1, performance.now() - started)
    const remainingMs = bytesPerSecond > 0 ? ((totalBytes - bytes) / bytesPerSecond) * 1000 : undefined
    report({ ...toReport({ phase: 'send', bytes, total: totalBytes, bytesPerSecond, remainingMs }, true), totalBytes })
  }
}

/** Builds files with paths like those of a directory input, under the edited name of the folder. */
function nameFolder(files: readonly PathFile[], name: string): File[] {
  return files.map(({ path, file }) => {
    const named = new File([file], file.name, { type: file.type, lastModified: file.lastModified })
    const slash = path.indexOf('/')
    const relativePath = slash < 0 ? name : `${name}${path.slice(slash)}`
    Object.defineProperty(named, 'webkitRelativePath', { value: relativePath })
    return named
  })
}
