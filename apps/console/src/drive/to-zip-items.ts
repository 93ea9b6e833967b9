import type { Drive, DriveItem } from '@cairn/sdk'
import { mayBeFolder } from '../content/folder-type.ts'
import { plainSizeOf } from '../content/plain-size.ts'
import type { ZipItem } from '../zip/zip-order.ts'
import { filesOf } from './files-of.ts'
import { parentOf } from './list-items.ts'

/**
 * Returns the files and empty folders of items with their paths below the folder that all items are in.
 * @returns `fileCount` undefined if one may be a stored folder: the drive does not know how many files are in it
 */
export function toZipItems(
  drive: Pick<Drive, 'all'>,
  items: readonly DriveItem[],
): { items: ZipItem[]; totalBytes: number; fileCount: number | undefined } {
  const common = commonFolder(items.map(({ path }) => parentOf(path)))
  const files = filesOf(drive, items)
  const below = (path: string) => path.slice(common === '/' ? 1 : common.length + 1)
  const none = { cid: undefined, mimeType: null, isEncrypted: false, isPrivate: false, modifiedAt: Date.now() }
  return {
    items: [
      ...files.map(({ path, cid, mimeType, isEncrypted, isPrivate, sizeBytes, versions }) => ({
        path: below(path),
        cid,
        mimeType,
        isEncrypted,
        isPrivate,
        sizeBytes,
        modifiedAt: versions[0]?.at ?? 0,
      })),
      ...emptyFoldersOf(drive, items).map((path) => ({ ...none, path: below(path) })),
    ],
    totalBytes: plainSizeOf(files).maxBytes,
    fileCount: files.some(mayBeFolder) ? undefined : files.length,
  }
}

/** Returns the paths of the folders among items, and of those in them, that contain nothing. */
function emptyFoldersOf(drive: Pick<Drive, 'all'>, items: readonly DriveItem[]): string[] {
  const chosen = items.filter(({ kind }) => kind === 'folder').map(({ path }) => path)
  if (chosen.length === 0) return []
  const all = [...drive.all()]
  const full = new Set(all.map(({ path }) => parentOf(path)))
  return all
    .filter(({ kind, path }) => kind === 'folder' && !full.has(path))
    .map(({ path }) => path)
    .filter((path) => chosen.some((one) => path === one || path.startsWith(`${one}/`)))
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
