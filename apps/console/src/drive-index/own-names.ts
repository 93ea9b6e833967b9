import type { Drive } from '@cairn/sdk'
import { useDriveVersion, useOpenDrive } from './use-drive.ts'

/** Names by their CIDs, of the last version of a drive that was asked for one. */
const known = new WeakMap<Drive, { version: number; names: ReadonlyMap<string, string> }>()

/** Returns the name of a file of the account in its drive; undefined if no page has opened the drive, or it has no such file. */
export function useOwnName(cid: string): string | undefined {
  const shown = useOpenDrive()
  const version = useDriveVersion(shown)
  return shown === undefined ? undefined : namesOf(shown.drive, version).get(cid)
}

function namesOf(drive: Drive, version: number): ReadonlyMap<string, string> {
  const before = known.get(drive)
  if (before?.version === version) return before.names
  const names = new Map(drive.all().flatMap((item) => (item.kind === 'file' ? [[item.cid, item.name] as const] : [])))
  known.set(drive, { version, names })
  return names
}
