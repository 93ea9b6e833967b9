import type { FileFilter } from '@cairn/sdk'
import * as v from 'valibot'

/** Kinds of files, and the starts of the MIME types that belong to each. */
const mimeStarts = {
  image: ['image/'],
  video: ['video/'],
  audio: ['audio/'],
  text: ['text/', 'application/json'],
  document: ['application/pdf', 'application/msword', 'application/vnd.', 'application/epub'],
  archive: ['application/zip', 'application/gzip', 'application/x-tar', 'application/x-7z'],
} as const
export type FileKind = keyof typeof mimeStarts
export const fileKinds: readonly FileKind[] = ['image', 'video', 'audio', 'text', 'document', 'archive']
export const accessFilters = ['plain', 'encrypted'] as const
export const fileSorts = ['createdAt', 'fileName', 'fileSizeInBytes'] as const

/** Search parameters of the list: a link to it shows the same. Invalid values count as unset. */
export const filesSearchSchema = v.object({
  q: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(200))), undefined)),
  /** Kinds separated by commas, in the order of {@link fileKinds}: `image,text`. */
  type: v.optional(
    v.fallback(
      v.optional(
        v.pipe(
          v.string(),
          v.transform((text) => joinKinds(text.split(','))),
        ),
      ),
      undefined,
    ),
  ),
  access: v.optional(v.fallback(v.optional(v.picklist(accessFilters)), undefined)),
  sort: v.optional(v.fallback(v.optional(v.picklist(fileSorts)), undefined)),
  order: v.optional(v.fallback(v.optional(v.picklist(['asc', 'desc'])), undefined)),
  view: v.optional(v.fallback(v.optional(v.picklist(['grid'])), undefined)),
})
export type FilesSearch = v.InferOutput<typeof filesSearchSchema>

/** Formats kinds for the address; undefined for none. */
function joinKinds(parts: readonly string[]): string | undefined {
  const kinds = fileKinds.filter((kind) => parts.includes(kind))
  return kinds.length === 0 ? undefined : kinds.join(',')
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
    ...readKinds(search).flatMap((kind): readonly string[] => mimeStarts[kind]),
    ...(access === undefined ? [] : [access]),
  ].join(',')
  return {
    sort,
    order: order ?? firstOrder(sort),
    ...(q === undefined ? {} : { search: q }),
    ...(fileType === '' ? {} : { fileType }),
  }
}
