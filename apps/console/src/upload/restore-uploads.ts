import { CairnError, type Client, cancelUpload, getUpload, type NetworkProfile } from '@cairn/sdk'
import { messages } from '../messages/messages.ts'
import { getSession } from '../session/session-store.ts'
import { clientOf } from '../session/use-client.ts'
import { showTransfers } from '../transfers/panel-store.ts'
import type { PathFile } from '../transfers/path-file.ts'
import { startTransfers, type TransferRequest } from '../transfers/transfer-store.ts'
import { toastError } from '../ui/toasts/toast-store.ts'
import { adoptBegun } from './begun-uploads.ts'
import { isReadable, readHandle } from './file-handle.ts'
import { holdUpload, holdUploadLater } from './hold-upload.ts'
import { type KeptUpload, listKept, readBytes, readKept, removeKept, sweepBytes } from './kept-uploads.ts'
import { placeStored } from './place-stored.ts'
import { refreshFiles } from './refresh-files.ts'
import { toTransferRequest } from './start-uploads.ts'
import { dropJob, finishJob, hasFiles, recallJob, toItem, type UploadJob } from './upload-job.ts'

/** Number of restored uploads that start together. */
const groupSize = 100

/**
 * Restores the uploads that an earlier page of this account did not finish. Those with stored bytes resume
 * automatically; the others wait in the transfers until the user allows reading the file, or chooses it again. Those that
 * another tab is sending are restored if that tab closes. Uploads of other accounts are removed.
 */
export async function restoreUploads(network: NetworkProfile): Promise<void> {
  const account = getSession()?.address
  if (account === undefined) return
  const client = () => clientOf(network, getSession())
  // Started in groups, because each start processes all transfers.
  let requests: TransferRequest[] = []
  const startRestored = () => {
    const group = requests
    requests = []
    if (group.length === 0) return
    // The account may have left meanwhile. Its next page, or sign-in, restores them.
    if (getSession()?.address !== account) for (const { onClose } of group) onClose?.()
    else {
      startTransfers(group)
      showTransfers(true)
    }
  }
  const failures: unknown[] = []
  await adoptBegun()
  await sweepBytes()
  for (const { id } of await listKept()) {
    const release = await holdUpload(id)
    if (release === undefined) restoreLater(client, id).catch(reportFailure)
    else {
      try {
        // Read again under the lock: it may have ended since it was listed.
        const kept = await readKept(id)
        const isOwn = kept?.account === account
        if (kept !== undefined && !isOwn) await removeKept(id)
        if (!isOwn || getSession()?.address !== account) release()
        else requests.push(...(await restoreOne(client, kept, release)))
      } catch (error) {
        // The others are restored. Another page tries it again.
        release()
        failures.push(error)
      }
    }
    if (requests.length >= groupSize) startRestored()
  }
  startRestored()
  if (failures.length > 0) reportFailure(failures[0])
}

function reportFailure(error: unknown): void {
  toastError(messages.transfers.notRestored, error)
}

/** Restores an upload that another tab is sending, once that tab has closed without finishing it. */
async function restoreLater(client: () => Client, id: string): Promise<void> {
  const release = await holdUploadLater(id)
  try {
    const kept = await readKept(id)
    if (kept === undefined || kept.account !== getSession()?.address) return release()
    const requests = await restoreOne(client, kept, release)
    startTransfers(requests)
    if (requests.length > 0) showTransfers(true)
  } catch (error) {
    release()
    throw error
  }
}

/**
 * Removes the uploads of an account on sign-out, here and at the service.
 * @throws CairnError if the service could not remove one; all are removed here
 */
export async function dropUploads(client: Client, account: string): Promise<void> {
  await adoptBegun()
  const own = (await listKept()).filter((kept) => kept.account === account)
  const dropped = await Promise.allSettled(
    own.map((kept) =>
      dropJob(
        client,
        recallJob(kept, undefined, () => undefined),
      ),
    ),
  )
  for (const one of dropped) if (one.status === 'rejected') throw one.reason
}

/** Returns the transfer that finishes an upload; none if it is stored. */
async function restoreOne(client: () => Client, kept: KeptUpload, release: () => void): Promise<TransferRequest[]> {
  const job = recallJob(kept, await readBytes(kept.id), release)
  if (kept.cid !== undefined) {
    placeStored(job, kept.cid)
    return []
  }
  const { offsetBytes, isStored, cid } = await findProgress(client(), job)
  if (isStored) {
    await finishJob(job, cid)
    placeStored(job, cid)
    refreshFiles()
    return []
  }
  if (job.isEncrypted && job.body === undefined && job.state !== undefined) {
    // Another encryption produces other bytes, so those at the service are useless.
    await abandon(client(), job.state.id)
    job.state = undefined
  }
  const request = toTransferRequest(client, job, kept.sizeBytes)
  const bytes = Math.min(offsetBytes, kept.sizeBytes)
  const paused = { bytes, need: 'resume', go: async () => undefined } as const
  const started = [kept.isPaused === true ? { ...request, paused } : request]
  const isAllHere = job.item !== undefined || (job.body !== undefined && job.state !== undefined)
  if (isAllHere) return started
  const { handle } = kept
  const accept = (files: readonly PathFile[]) => {
    job.item = toItem(kept, files)
  }
  if (handle !== undefined && (await isReadable(handle)) && (await readQuietly(handle, kept, accept))) return started
  return [
    {
      ...request,
      paused: {
        bytes: job.isEncrypted ? 0 : bytes,
        need: handle !== undefined ? 'continue' : kept.kind,
        fits: (files) => hasFiles(kept, files),
        go: async (files) =>
          accept(handle !== undefined && files === undefined ? await readHandle(handle, kept.files) : (files ?? [])),
      },
    },
  ]
}

/** Removes an upload from the service. If the service is unreachable, the upload expires there. */
async function abandon(client: Client, id: string): Promise<void> {
  try {
    await cancelUpload(client, id)
  } catch (error) {
    if (!CairnError.is(error)) throw error
  }
}

/** Reads files without a prompt, if that is allowed. If a file has changed, the user is asked for it. */
async function readQuietly(
  handle: FileSystemHandle,
  kept: KeptUpload,
  accept: (files: readonly PathFile[]) => void,
): Promise<boolean> {
  try {
    accept(await readHandle(handle, kept.files))
    return true
  } catch (error) {
    if (!CairnError.is(error)) throw error
    return false
  }
}

/** The progress of an upload at the service; the CID, if it is stored and has one. */
type Progress = { offsetBytes: number; isStored: boolean; cid: string | undefined }

/** Returns the progress of an upload at the service, if known; a lost response may have been its completion. */
async function findProgress(client: Client, { state }: UploadJob): Promise<Progress> {
  const none: Progress = { offsetBytes: 0, isStored: false, cid: undefined }
  if (state === undefined) return none
  try {
    const info = await getUpload(client, state.id)
    if (info === undefined) return none
    const [only, ...others] = info.result ?? []
    const { offsetBytes } = info
    return { offsetBytes, isStored: info.state === 'stored', cid: others.length === 0 ? only?.Hash : undefined }
  } catch (error) {
    // The upload itself retries, and waits if required.
    if (!CairnError.is(error)) throw error
    return none
  }
}
