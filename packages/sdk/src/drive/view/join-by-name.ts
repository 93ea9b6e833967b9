import {
  type DriveUpload,
  type DriveVersion,
  isBefore,
  type Node,
  newestFirst,
  readUpload,
  toVersion,
} from './nodes.ts'
import { compareUploads, type UploadIndex } from './upload-index.ts'

/**
 * Returns the file of the root that uploads without an entry belong to, with them as versions: the first of the files with their
 * name, or the oldest upload itself. Earlier content that is uploaded again is the content of the file again.
 * @param files files of the root with the name
 * @param free uploads with the name and without an entry
 */
export function joinByName(
  name: string,
  files: readonly Node[],
  free: readonly DriveUpload[],
  uploads: Pick<UploadIndex, 'newestAt'>,
): Node | undefined {
  const sorted = free.length > 1 ? free.toSorted(compareUploads) : free
  const [oldest] = sorted
  const host = files.length === 0 ? oldest && readUpload(oldest) : firstOf(files)
  const joined = files.length === 0 ? sorted.slice(1) : sorted
  if (host?.versions === undefined) return undefined

  const renewed: string[] = []
  const renew = (version: DriveVersion): DriveVersion => {
    const newestAt = uploads.newestAt(version.cid, name) ?? 0
    if (newestAt <= version.at) return version
    renewed.push(version.cid)
    return { ...version, at: newestAt }
  }
  const versions = [...host.versions, ...joined.map((upload) => toVersion(upload, upload.createdAt))].map(renew)
  if (joined.length === 0 && renewed.length === 0) return host
  return { ...host, versions: versions.sort(newestFirst), joined: joined.map(({ cid }) => cid), renewed }
}

/** Returns the file that has its name before all others. */
function firstOf(files: readonly Node[]): Node {
  return files.reduce((first, file) => (isBefore(file, first) ? file : first))
}
