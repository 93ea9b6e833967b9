import type { FileFilter } from '@cairn/sdk'
import * as v from 'valibot'

export const typeFilters = ['image', 'video', 'audio', 'text'] as const
export const accessFilters = ['plain', 'encrypted'] as const
export const fileSorts = ['createdAt', 'fileName', 'fileSizeInBytes'] as const

/** What the address of the list says: a link to it shows the same. What it says wrongly counts as not said. */
export const filesSearchSchema = v.object({
  q: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(200))), undefined)),
  type: v.optional(v.fallback(v.optional(v.picklist(typeFilters)), undefined)),
  access: v.optional(v.fallback(v.optional(v.picklist(accessFilters)), undefined)),
  sort: v.optional(v.fallback(v.optional(v.picklist(fileSorts)), undefined)),
  order: v.optional(v.fallback(v.optional(v.picklist(['asc', 'desc'])), undefined)),
  view: v.optional(v.fallback(v.optional(v.picklist(['grid'])), undefined)),
})
export type FilesSearch = v.InferOutput<typeof filesSearchSchema>

/** The order that a column is sorted in at first: names from the top of the alphabet, the newest and the largest first. */
export function firstOrder(sort: (typeof fileSorts)[number]): 'asc' | 'desc' {
  return sort === 'fileName' ? 'asc' : 'desc'
}

/** The list's address as the service's filter. It knows one kind at a time: a type, or an access. */
export function toFilter({ q, type, access, sort = 'createdAt', order }: FilesSearch): FileFilter {
  const fileType = type ?? access
  return {
    sort,
    order: order ?? firstOrder(sort),
    ...(q === undefined ? {} : { search: q }),
    ...(fileType === undefined ? {} : { fileType }),
  }
}
