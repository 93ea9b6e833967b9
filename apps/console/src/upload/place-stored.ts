import { endJob, type UploadJob } from './upload-job.ts'
import { belongsInFolder, placeUpload } from './upload-place.ts'

/** Puts a stored upload where the user wanted it, and removes what is kept for that once it is there. */
export function placeStored(job: UploadJob, cid: string | undefined): void {
  const { name, folderId, account } = job
  if (cid === undefined || folderId === undefined || account === undefined) return
  // Nothing is kept of uploads to the root, where they are by themselves unless the drive has their content already.
  const onEnd = belongsInFolder(job) ? () => void endJob(job) : () => undefined
  placeUpload({ cid, name, folderId, account, onEnd })
}
