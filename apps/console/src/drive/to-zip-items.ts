import type { Drive, DriveItem } from '@cairn/sdk'
import { mayBeFolder } from '../content/folder-type.ts'
import type { ZipItem } from '../zip/zip-order.ts'
import { filesOf } from './files-of.ts'
import { parentOf } from './list-items.ts'

/**
 * Returns the files of items with their paths below the folder that all items are in.
 * @returns `fileCount` undefined if one may be a stored folder: the drive does not know how many files are in it
 */
export function toZipItems(
  drive: Pick<Drive, 'all'>,
  items: readonly DriveItem[],
): { items: ZipItem[]; totalBytes: number; fileCount: number | undefined } {
  const common = commonFolder(items.map(({ path }) => parentOf(path)))
  const files = filesOf(drive, items)
  return {
    items: files.map(({ path, cid, mimeType, isEncrypted, isPrivate, versions }) => ({
      path: path.slice(common === '/' ? 1 : common.length + 1),
      cid,
      mimeType,
      isEncrypted,
      isPrivate,
      modifiedAt: versions[0]?.at ?? 0,
    })),
    totalBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    fileCount: files.some(mayBeFolder) ? undefined : files.length,
  }
}

/** Returns the longest path that all folders are at or below. */
function commonFolder(folders: readonly string[]): string {
  const [first = '/', ...others] = folders
  let names = first.split('/').filter(Boolean)
  for (const folder of others) {
    const own = folder.split('/').filter(Boolean)
    const end = names.findIndex((name, at) => own[at] !== name)
    if (end >= 0) names = names.slice(0, end)
  }
  return `/${names.join('/')}`
}
