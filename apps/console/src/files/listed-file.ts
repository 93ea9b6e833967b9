import type { DriveItem, FileEntry } from '@cairn/sdk'
import type { FileAccess } from './files-search.ts'

/** A row of a list of files: an upload, or an item of the drive. */
export type ListedFile = Pick<
  FileEntry,
  'id' | 'cid' | 'fileName' | 'fileSizeInBytes' | 'mimeType' | 'createdAt' | 'encryption' | 'private'
> & {
  /** The item of the drive; undefined in the list of uploads. */
  item?: DriveItem
  /** Where it is, if the list has items of several folders. */
  place?: string
  /** The name in the form that searches compare, computed by the first search. */
  searchText?: string | undefined
}

/** Type of a folder of the drive, which has no content of its own. */
export const driveFolderType = 'application/x-cairn-folder'

/** Returns who can read the content of a row, in the words of the filter. */
export function accessOf({ encryption, private: isPrivate }: Pick<ListedFile, 'encryption' | 'private'>): FileAccess {
  if (encryption) return 'encrypted'
  return isPrivate ? 'private' : 'public'
}

/** Whether a row is a folder of the drive. */
export function isDriveFolder({ item }: Pick<ListedFile, 'item'>): boolean {
  return item?.kind === 'folder'
}
