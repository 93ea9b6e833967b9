import { restoreError } from '@cairn/protocol'
import { CairnError, type Client } from '@cairn/sdk'
import { messages } from '../messages/messages.ts'
import { ensureKeySession } from '../session/ensure-key-session.ts'
import { isOver } from '../session/kept-key-session.ts'
import { endRefusedSession, getSession } from '../session/session-store.ts'
import { startTransfers, type TransferRequest } from '../transfers/transfer-store.ts'
import { placeStored } from './place-stored.ts'
import { refreshFiles } from './refresh-files.ts'
import { runUpload } from './run-upload.ts'
import type { UploadAccess, UploadItem } from './upload-item.ts'
import { createJobs, dropJob, notePause, type UploadJob } from './upload-job.ts'
import { addToUploadSheet } from './upload-sheet-store.ts'

/** Queues the chosen items as transfers: they continue across pages, and after a reload. */
export function startUploads(
  client: () => Client,
  items: readonly UploadItem[],
  access: UploadAccess,
  /** Folder of the drive; empty for the root, undefined without a drive. */
  folderId?: string,
): void {
  startTransfers(
    createJobs(items, access, folderId).map(({ job, sizeBytes }) => toTransferRequest(client, job, sizeBytes)),
  )
}

/** Creates the transfer request of an upload. */
export function toTransferRequest(client: () => Client, job: UploadJob, totalBytes: number): TransferRequest {
  return {
    name: job.name,
    kind: 'upload',
    isEncrypted: job.isEncrypted,
    totalBytes,
    run: (tools) => runWithSession(client, job, tools),
    onRetry: async () => {
      // The key of bytes that are already encrypted is saved already.
      if (job.isEncrypted && (job.body === undefined || job.state === undefined)) await ensureKeySession()
    },
    onDrop: () => dropJob(client(), job),
    onPause: (isPaused) => void notePause(job, isPaused),
    onRename: () => {
      if (job.item !== undefined) addToUploadSheet(job.item)
    },
    // A later page acquires the lock again.
    onClose: () => job.release(),
    onDone: (cid) => {
      placeStored(job, cid)
      refreshFiles()
    },
  }
}

/** Runs an upload, and again if the session was extended meanwhile, because that ends the credentials of the first run. */
async function runWithSession(
  client: () => Client,
  job: UploadJob,
  tools: Parameters<TransferRequest['run']>[0],
): Promise<{ cid?: string }> {
  for (;;) {
    const current = client()
    try {
      return await runUpload(current, job, tools)
    } catch (error) {
      const session = getSession()
      if (session !== undefined && session.apiKey !== current.apiKey && isOfSession(error)) continue
      endRefusedSession(error)
      const isKeyOver = session?.keySession === undefined || isOver(session.keySession)
      if (!CairnError.is(error, 'KEY_SAVE_FAILED') || !isKeyOver) throw error
      const { code, message, details } = error
      throw restoreError(code, { message, hint: messages.transfers.keySessionOver, details, cause: error })
    }
  }
}

/** Returns whether other credentials may change the result. */
function isOfSession(error: unknown): boolean {
  const { code, status } = CairnError.from(error)
  return status === 401 || code === 'KEY_SAVE_FAILED'
}
