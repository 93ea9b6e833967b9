import { endJob, type UploadJob } from './upload-job.ts'
import { belongsInFolder, placeUpload } from './upload-place.ts'

/** Puts a stored upload into its folder, if it belongs into one, and removes what is kept of it once it is there. */
export function placeStored(job: UploadJob, cid: string | undefined): void {
  const { name, folderId, account } = job
  if (cid === undefined || folderId === undefined || account === undefined || !belongsInFolder(job)) return
  placeUpload({ cid, name, folderId, account, onEnd: () => void endJob(job) })
}
