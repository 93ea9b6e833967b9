import type { Client } from '@cairn/sdk'
import { queryClient } from '../network/query-client.ts'
import { startTransfer, type TransferWish } from '../transfers/transfer-store.ts'
import { runUpload } from './run-upload.ts'
import type { UploadItem } from './upload-item.ts'
import { createJob, dropJob, type UploadJob } from './upload-job.ts'
import { addToUploadSheet } from './upload-sheet-store.ts'

/** Hands what was chosen to the transfers: they go on whatever page is open, and after a reload. */
export function startUploads(client: () => Client, items: readonly UploadItem[], isEncrypted: boolean): void {
  for (const item of items) startTransfer(toWish(client, createJob(item, isEncrypted), item.sizeBytes))
}

/** What the transfers are asked to do for an upload. */
export function toWish(client: () => Client, job: UploadJob, totalBytes: number): TransferWish {
  return {
    name: job.name,
    kind: 'upload',
    isEncrypted: job.isEncrypted,
    totalBytes,
    run: (tools) => runUpload(client(), job, tools),
    onDrop: () => dropJob(client(), job),
    onRename: () => {
      if (job.item !== undefined) addToUploadSheet(job.item)
    },
    // Whoever comes back to it holds it anew.
    onLeave: () => job.release(),
    onDone: () => {
      void queryClient.invalidateQueries({ queryKey: ['files'] })
      void queryClient.invalidateQueries({ queryKey: ['usage'] })
    },
  }
}
