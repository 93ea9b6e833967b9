import { useMemo } from 'react'
import type { ShownDrive } from '../drive-index/shown-drive.ts'
import { useDriveVersion } from '../drive-index/use-drive.ts'
import type { FilesSearch } from '../files/files-search.ts'
import { isNarrowed } from '../files/filter-files.ts'
import { messages } from '../messages/messages.ts'
import { folderPathOf, isWide, listAll, listCrumbs, listFolder, narrowRows } from './list-items.ts'

/** Maximum number of tags to filter by: the most used ones. */
const maxTags = 12

/** Lists a folder of the drive, or what a search, filter or tag finds in it, again when the drive changes. */
export function useFolderList(shown: ShownDrive, search: FilesSearch, tag: string | undefined) {
  const { drive } = shown
  const version = useDriveVersion(shown)
  const { folder: folderId = '', place, sort, order } = search
  const isOfAll = isWide(search, tag)
  const isFiltered = isNarrowed(search) || tag !== undefined

  // biome-ignore lint/correctness/useExhaustiveDependencies: a drive is read again when its version changes.
  const path = useMemo(() => folderPathOf(drive, folderId), [drive, version, folderId])
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above.
  const all = useMemo(
    () => (isOfAll ? listAll(drive, { sort, order }) : undefined),
    [drive, version, isOfAll, sort, order],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above.
  const files = useMemo(
    () => (all === undefined ? listFolder(drive, path ?? '/', search) : narrowRows(all, path ?? '/', search, tag)),
    [drive, version, path, all, search, tag],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above.
  const tags = useMemo(() => drive.tags().slice(0, maxTags), [drive, version])
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above.
  const crumbs = useMemo(() => listCrumbs(drive, path ?? '/', messages.drive.root), [drive, version, path])

  const isEmptyDrive = files.length === 0 && drive.isListed && !isFiltered && place === undefined && folderId === ''
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above.
  const hasTrash = useMemo(() => isEmptyDrive && drive.trash().length > 0, [isEmptyDrive, drive, version])
  return {
    /** Undefined if the folder is gone, or in the trash. */
    path,
    files,
    /** Tags to filter by. */
    tags,
    /** The folders from the root to this one. */
    crumbs,
    isFiltered,
    /** Whether the drive contains nothing at all. */
    isUnused: isEmptyDrive && !hasTrash,
  }
}
