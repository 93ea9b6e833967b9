import type { Client } from '@cairn/sdk'
import { startTransfer, type TransferRequest } from '../transfers/transfer-store.ts'
import { refreshFiles } from './refresh-files.ts'
import { runUpload } from './run-upload.ts'
import type { UploadItem } from './upload-item.ts'
import { createJob, dropJob, notePause, type UploadJob } from './upload-job.ts'
import { placeUpload } from './upload-place.ts'
import { addToUploadSheet } from './upload-sheet-store.ts'

/** Queues the chosen items as transfers: they continue across pages, and after a reload. */
export function startUploads(
  client: () => Client,
  items: readonly UploadItem[],
  isEncrypted: boolean,
  /** Folder of the drive; empty for the root, undefined without a drive. */
  folderId?: string,
): void {
  for (const item of items) {
    startTransfer(toTransferRequest(client, createJob(item, isEncrypted, folderId), item.sizeBytes))
  }
}

/** Creates the transfer request of an upload. */
export function toTransferRequest(client: () => Client, job: UploadJob, totalBytes: number): TransferRequest {
  return {
    name: job.name,
    kind: 'upload',
    isEncrypted: job.isEncrypted,
    totalBytes,
    run: (tools) => runUpload(client(), job, tools),
    onDrop: () => dropJob(client(), job),
    onPause: (isPaused) => void notePause(job, isPaused),
    onRename: () => {
      if (job.item !== undefined) addToUploadSheet(job.item)
    },
    // A later page acquires the lock again.
    onClose: () => job.release(),
    onDone: (cid) => {
      if (cid !== undefined && job.folderId !== undefined) placeUpload({ cid, name: job.name, folderId: job.folderId })
      refreshFiles()
    },
  }
}
