import type { Drive, DriveFile } from '@cairn/sdk'
import { useDriveVersion, useOpenDrive } from './use-drive.ts'

type Files = ReadonlyMap<string, DriveFile>

/** Files by the CIDs of all their versions, computed once per version of a drive. */
const known = new WeakMap<Drive, { version: number; files: Files }>()

/** Returns the file of the drive that has this CID, now or as an earlier version; undefined if no page has opened the drive. */
export function useOwnFile(cid: string): DriveFile | undefined {
  const shown = useOpenDrive()
  const version = useDriveVersion(shown)
  return shown === undefined ? undefined : filesByCid(shown.drive, version).get(cid)
}

/** Returns the files outside the trash by the CIDs of all their versions. */
export function filesByCid(drive: Drive, version: number): Files {
  const before = known.get(drive)
  if (before?.version === version) return before.files
  const all = drive.all().flatMap((item) => (item.kind === 'file' ? [item] : []))
  const earlier = all.flatMap((file) => file.versions.slice(1).map(({ cid }) => [cid, file] as const))
  // The current version of one file may be an earlier one of another.
  const files = new Map([...earlier, ...all.map((file) => [file.cid, file] as const)])
  known.set(drive, { version, files })
  return files
}
