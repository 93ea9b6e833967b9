import * as v from 'valibot'

export const fileKinds = ['image', 'video', 'audio', 'text', 'document', 'archive'] as const
export type FileKind = (typeof fileKinds)[number]
export const accessFilters = ['public', 'private', 'encrypted'] as const
export type FileAccess = (typeof accessFilters)[number]
/** Places of the drive besides its folders; `uploads` lists every upload as it is stored. */
export const drivePlaces = ['starred', 'duplicates', 'trash', 'uploads'] as const
export const fileSorts = ['fileName', 'fileSizeInBytes', 'createdAt'] as const
export const fileOrders = ['asc', 'desc'] as const

/** Longest text of a search, in characters: the address contains it. */
export const maxQueryCharacters = 200

/** Search parameters of the list: a link to it shows the same. Invalid values count as unset. */
export const filesSearchSchema = v.object({
  q: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(maxQueryCharacters))), undefined)),
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
  order: v.optional(v.fallback(v.optional(v.picklist(fileOrders)), undefined)),
  view: v.optional(v.fallback(v.optional(v.picklist(['grid'])), undefined)),
  /** Id of a folder of the drive: a reload sends the address to the service, so it must not contain a name. */
  folder: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.regex(/^d-[\w-]{22}$/))), undefined)),
  place: v.optional(v.fallback(v.optional(v.picklist(drivePlaces)), undefined)),
})
export type FilesSearch = v.InferOutput<typeof filesSearchSchema>

/** Returns only the parameters of the list. While a file is open over it, the address also has those of the file. */
export function withoutFile(search: FilesSearch): FilesSearch {
  return v.parse(filesSearchSchema, search)
}

/** Returns the search with another text. The trash and the duplicates cannot be searched, so from there it searches all files. */
export function withQuery(search: FilesSearch, q: string): FilesSearch {
  if (q === '') return { ...search, q: undefined }
  const { place } = search
  return { ...search, q, place: place === 'trash' || place === 'duplicates' ? undefined : place }
}

/** Formats kinds for the address; undefined for none. */
export function joinKinds(parts: readonly string[]): string | undefined {
  const kinds = fileKinds.filter((kind) => parts.includes(kind))
  return kinds.length === 0 ? undefined : kinds.join(',')
}
