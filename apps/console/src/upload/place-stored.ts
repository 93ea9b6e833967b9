import { endJob, type UploadJob } from './upload-job.ts'
import { belongsInFolder, placeUpload } from './upload-place.ts'

/** Moves a stored upload into the folder that the user chose, and then clears the choice. */
export function placeStored(job: UploadJob, cid: string | undefined): void {
  const { name, folderId, account } = job
  if (cid === undefined || folderId === undefined || account === undefined) return
  // Uploads to the root are not stored for this, because they appear there by themselves unless the drive has their content
  // already.
  const onEnd = belongsInFolder(job) ? () => void endJob(job) : () => undefined
  placeUpload({ cid, name, folderId, account, onEnd })
}
