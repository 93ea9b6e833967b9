import type { Drive, DriveFile, DriveItem } from '@cairn/sdk'

/** Returns the files of items, and of the folders among them. */
export function filesOf(drive: Pick<Drive, 'all'>, items: readonly DriveItem[]): DriveFile[] {
  const files = new Map<string, DriveFile>()
  const folders: string[] = []
  for (const item of items) {
    if (item.kind === 'file') files.set(item.id, item)
    else folders.push(`${item.path}/`)
  }
  if (folders.length === 0) return [...files.values()]
  for (const item of drive.all()) {
    if (item.kind === 'file' && folders.some((path) => item.path.startsWith(path))) files.set(item.id, item)
  }
  return [...files.values()]
}
