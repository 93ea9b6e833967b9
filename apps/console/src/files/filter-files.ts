import { toCidStart } from '@cairn/protocol'
import type { FileFilter } from '@cairn/sdk'
import { type FileKind, type FilesSearch, fileKinds, type fileSorts, joinKinds } from './files-search.ts'
import { accessOf, driveFolderType, type ListedFile } from './listed-file.ts'

/** The starts of the MIME types that belong to each kind of file. */
const mimeStarts: Record<FileKind, readonly string[]> = {
  image: ['image/'],
  video: ['video/'],
  audio: ['audio/'],
  text: ['text/', 'application/json'],
  document: ['application/pdf', 'application/msword', 'application/vnd.', 'application/epub'],
  archive: ['application/zip', 'application/gzip', 'application/x-tar', 'application/x-7z'],
}

/** Returns the kinds in the address; none means all. */
export function readKinds({ type = '' }: Pick<FilesSearch, 'type'>): readonly FileKind[] {
  const parts = type.split(',')
  return fileKinds.filter((kind) => parts.includes(kind))
}

/** Returns the search with one kind added or removed. */
export function toggleKind(search: FilesSearch, kind: FileKind): FilesSearch {
  const kinds = readKinds(search)
  const next = kinds.includes(kind) ? kinds.filter((other) => other !== kind) : [...kinds, kind]
  return { ...search, type: joinKinds(next) }
}

/** Returns whether any filter is set. */
export function isNarrowed({ q, type, access }: FilesSearch): boolean {
  return q !== undefined || type !== undefined || access !== undefined
}

/** Returns the initial sort order of a column: names ascending, date and size descending. */
export function firstOrder(sort: (typeof fileSorts)[number]): 'asc' | 'desc' {
  return sort === 'fileName' ? 'asc' : 'desc'
}

/** Converts the search to the filter of the service. */
export function toFilter(search: FilesSearch): FileFilter {
  const { q, access, sort = 'createdAt', order } = search
  const fileType = [
    ...readKinds(search).flatMap((kind) => mimeStarts[kind]),
    ...(access === undefined ? [] : [access]),
  ].join(',')
  return {
    sort,
    order: order ?? firstOrder(sort),
    ...(q === undefined ? {} : { search: q }),
    ...(fileType === '' ? {} : { fileType }),
  }
}

/**
 * Returns whether a row matches a search, as the service would find it: each word in the name, or the start of the CID, in
 * any case unless it is of version 0. The search is read once, for very many rows.
 */
export function createMatcher({ q, access, ...search }: FilesSearch): (file: ListedFile) => boolean {
  const starts = readKinds(search).flatMap((kind) => mimeStarts[kind])
  const words = q === undefined ? [] : fold(q).split(/\s+/)
  const cidStart = q === undefined ? undefined : toCidStart(q.trim())
  return (file) => {
    const { fileName, cid, mimeType } = file
    const isFolder = mimeType === driveFolderType
    if (access !== undefined && (isFolder || accessOf(file) !== access)) return false
    if (starts.length > 0 && !starts.some((start) => mimeType?.startsWith(start) === true)) return false
    if (cidStart === undefined) return true
    file.searchText ??= fold(fileName)
    const name = file.searchText
    return words.every((word) => name.includes(word)) || (cid !== '' && cid.startsWith(cidStart))
  }
}

const ascii = /^[\x20-\x7e]*$/

function fold(text: string): string {
  return ascii.test(text) ? text.toLowerCase() : text.normalize('NFKC').toLowerCase()
}
