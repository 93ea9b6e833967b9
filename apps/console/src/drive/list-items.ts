import type { Drive, DriveItem } from '@cairn/sdk'
import type { FilesSearch } from '../files/files-search.ts'
import { createMatcher, firstOrder, isNarrowed } from '../files/filter-files.ts'
import { driveFolderType, type ListedFile } from '../files/listed-file.ts'
import { language } from '../messages/language.ts'

/** Returns an item as a row. `place` is named if the rows are of several folders. */
export function toListedFile(item: DriveItem, hasPlace = false): ListedFile {
  const { id, name, path } = item
  const isFile = item.kind === 'file'
  const place = parentOf(path)
  return {
    id,
    cid: isFile ? item.cid : '',
    fileName: name,
    fileSizeInBytes: String(isFile ? item.sizeBytes : 0),
    mimeType: isFile ? item.mimeType : driveFolderType,
    createdAt: isFile ? (item.versions[0]?.at ?? 0) : 0,
    encryption: isFile && item.isEncrypted,
    item,
    ...(hasPlace ? { place } : {}),
  }
}

/** Returns the path of the folder of a path. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')))
}

/** Returns the rows of a folder; with a search, a filter or a tag, those of all folders below it. */
export function listItems(
  drive: Drive,
  folder: string,
  search: FilesSearch,
  tag: string | undefined,
): readonly ListedFile[] {
  const isWide = isNarrowed(search) || tag !== undefined
  if (!isWide && search.place === undefined)
    return sortRows(
      drive.list(folder).map((item) => toListedFile(item)),
      search,
      true,
    )
  const isStarred = search.place === 'starred'
  const start = folder === '/' ? '/' : `${folder}/`
  const matches = createMatcher(search)
  const rows: ListedFile[] = []
  for (const item of drive.all()) {
    if (isStarred && !item.isStarred) continue
    if (tag !== undefined && !item.tags.includes(tag)) continue
    if (!item.path.startsWith(start)) continue
    const row = toListedFile(item, true)
    if (matches(row)) rows.push(row)
  }
  return sortRows(rows, search, false)
}

const collator = new Intl.Collator(language, { numeric: true })

/** Sorts rows, folders first. Rows of one folder come sorted by name. */
function sortRows(rows: ListedFile[], { sort = 'fileName', order }: FilesSearch, isByName: boolean): ListedFile[] {
  const sign = (order ?? firstOrder(sort)) === 'asc' ? 1 : -1
  const byFolder = (row: ListedFile) => (row.mimeType === driveFolderType ? 0 : 1)
  if (sort === 'fileName') {
    if (isByName && sign > 0) return rows
    return rows.sort((a, b) => byFolder(a) - byFolder(b) || sign * collator.compare(a.fileName, b.fileName))
  }
  return rows.sort((a, b) => byFolder(a) - byFolder(b) || sign * (Number(a[sort]) - Number(b[sort])))
}

/** A folder on the way to another: its id is empty for the root. */
export type Crumb = { id: string; name: string; path: string }

/** Returns the folders from the root to a path. */
export function listCrumbs(drive: Drive, path: string, rootName: string): Crumb[] {
  const crumbs: Crumb[] = [{ id: '', name: rootName, path: '/' }]
  const names = path.split('/').filter(Boolean)
  for (let count = 1; count <= names.length; count++) {
    const item = drive.find(`/${names.slice(0, count).join('/')}`)
    if (item !== undefined) crumbs.push({ id: item.id, name: item.name, path: item.path })
  }
  return crumbs
}

/** Returns the path of a folder by its id; undefined if it is gone or in the trash. */
export function folderPathOf(drive: Drive, id: string | undefined): string | undefined {
  if (id === undefined || id === '') return '/'
  const item = drive.get(id)
  // In the trash by itself, or with a folder above it.
  return item?.kind === 'folder' && drive.find(item.path)?.id === id ? item.path : undefined
}
