import { createNaturalOrder } from '@cairn/protocol'
import type { Drive, DriveItem } from '@cairn/sdk'
import type { FilesSearch } from '../files/files-search.ts'
import { createMatcher, firstOrder, isNarrowed } from '../files/filter-files.ts'
import { driveFolderType, isDriveFolder, type ListedFile } from '../files/listed-file.ts'
import { language } from '../messages/language.ts'
import { messages } from '../messages/messages.ts'

/** Items as they were listed last, and their rows. */
type Listed = { items: readonly DriveItem[]; rows: readonly ListedFile[] }
const nothing: Listed = { items: [], rows: [] }
let inFolder = nothing
let withPlace = nothing

/**
 * Returns items as rows. An item that did not change has the row that it had: lists that follow each other share most of their
 * items in the same order, so each is compared with the next one of the former list.
 */
function toRows(items: readonly DriveItem[], hasPlace: boolean): ListedFile[] {
  const before = hasPlace ? withPlace : inFolder
  let next = 0
  const rows = items.map((item) => {
    const isGone = before.items[next] !== item && before.items[next + 1] === item
    if (isGone) next++
    const known = before.items[next] === item ? before.rows[next] : undefined
    if (known !== undefined) next++
    return known ?? toListedFile(item, hasPlace)
  })
  const listed = { items, rows }
  if (hasPlace) withPlace = listed
  else inFolder = listed
  return rows
}

/** `place` is named if the rows are of several folders. */
function toListedFile(item: DriveItem, hasPlace: boolean): ListedFile {
  const { id, name, path } = item
  const isFile = item.kind === 'file'
  return {
    id,
    cid: isFile ? item.cid : '',
    fileName: name,
    fileSizeInBytes: String(isFile ? item.sizeBytes : 0),
    mimeType: isFile ? item.mimeType : driveFolderType,
    createdAt: isFile ? (item.versions[0]?.at ?? 0) : 0,
    encryption: isFile && item.isEncrypted,
    ...(isFile && item.isPrivate ? { private: true } : {}),
    item,
    searchText: undefined,
    ...(hasPlace ? { place: nameFolder(parentOf(path)) } : {}),
  }
}

/** Returns the path of a folder as a row shows it: the root has the name of its place. */
function nameFolder(path: string): string {
  return path === '/' ? messages.drive.root : path
}

/** Returns the path of the folder of a path. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')))
}

/** Whether a search, a filter or a tag is set, or the starred items are: the rows are of all folders below. */
export function isWide(search: FilesSearch, tag: string | undefined): boolean {
  return isNarrowed(search) || tag !== undefined || search.place === 'starred'
}

/** Returns the rows of a folder. */
export function listFolder(drive: Pick<Drive, 'list'>, folder: string, search: FilesSearch): readonly ListedFile[] {
  const rows = toRows(drive.list(folder), false)
  // They come in this order.
  return isByName(search) && !isDescending(search) ? rows : sortRows(rows, search)
}

/** Returns the rows of all folders, in order: what a search then takes a part of. */
export function listAll(drive: Pick<Drive, 'all'>, search: Pick<FilesSearch, 'sort' | 'order'>): readonly ListedFile[] {
  return sortRows(toRows(drive.all(), true), search)
}

/** Returns the rows of a folder and of those below it that a search, a filter and a tag leave. */
export function narrowRows(
  rows: readonly ListedFile[],
  folder: string,
  search: FilesSearch,
  tag: string | undefined,
): readonly ListedFile[] {
  const isStarred = search.place === 'starred'
  const start = folder === '/' ? '/' : `${folder}/`
  const matches = createMatcher(search)
  return rows.filter((row) => {
    const { item } = row
    if (item === undefined || (isStarred && !item.isStarred)) return false
    if (tag !== undefined && !item.tags.includes(tag)) return false
    return (start === '/' || item.path.startsWith(start)) && matches(row)
  })
}

const byName = createNaturalOrder(language)
const isByName = ({ sort = 'fileName' }: FilesSearch) => sort === 'fileName'
const isDescending = ({ sort = 'fileName', order }: FilesSearch) => (order ?? firstOrder(sort)) === 'desc'

/** Sorts rows, folders first: they have neither size nor date, so only their names order them. */
function sortRows(rows: readonly ListedFile[], search: Pick<FilesSearch, 'sort' | 'order'>): ListedFile[] {
  const folders: ListedFile[] = []
  const files: ListedFile[] = []
  for (const row of rows) (isDriveFolder(row) ? folders : files).push(row)
  const { sort = 'fileName' } = search
  const sign = isDescending(search) ? -1 : 1
  const sortNames = (part: readonly ListedFile[], isTurned: boolean) => {
    const sorted = byName.sort(part, ({ fileName }) => fileName)
    return isTurned ? sorted.reverse() : sorted
  }
  if (sort === 'fileName') return [folders, files].flatMap((part) => sortNames(part, sign < 0))
  // Not reversed afterwards, so that files of equal size stay sorted by name.
  return [...sortNames(folders, false), ...files.sort((a, b) => sign * (Number(a[sort]) - Number(b[sort])))]
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
export function folderPathOf(drive: Pick<Drive, 'get' | 'find'>, id: string | undefined): string | undefined {
  if (id === undefined || id === '') return '/'
  const item = drive.get(id)
  // In the trash by itself, or with a folder above it.
  return item?.kind === 'folder' && drive.find(item.path)?.id === id ? item.path : undefined
}
