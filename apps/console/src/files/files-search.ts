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

/** What the address of the list says: a link to it shows the same. What it says wrongly counts as not said. */
export const filesSearchSchema = v.object({
  q: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(200))), undefined)),
  /** Kinds with commas between, in the order of {@link fileKinds}: `image,text`. */
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

/** Kinds as they stand in an address; undefined for none. */
function joinKinds(parts: readonly string[]): string | undefined {
  const kinds = fileKinds.filter((kind) => parts.includes(kind))
  return kinds.length === 0 ? undefined : kinds.join(',')
}

/** The kinds that an address asks for; none stands for all. */
export function readKinds({ type = '' }: Pick<FilesSearch, 'type'>): readonly FileKind[] {
  const parts = type.split(',')
  return fileKinds.filter((kind) => parts.includes(kind))
}

/** The address with one kind more, or with one less. */
export function toggleKind(search: FilesSearch, kind: FileKind): FilesSearch {
  const kinds = readKinds(search)
  const next = kinds.includes(kind) ? kinds.filter((other) => other !== kind) : [...kinds, kind]
  return { ...search, type: joinKinds(next) }
}

/** Whether anything narrows the list. */
export function isNarrowed({ q, type, access }: FilesSearch): boolean {
  return q !== undefined || type !== undefined || access !== undefined
}

/** The order that a column is sorted in at first: names from the top of the alphabet, the newest and the largest first. */
export function firstOrder(sort: (typeof fileSorts)[number]): 'asc' | 'desc' {
  return sort === 'fileName' ? 'asc' : 'desc'
}

/** The list's address as the service's filter. */
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
