import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import * as v from 'valibot'
import { createStore, useStore } from '../state/store.ts'
import { keepText, recallText } from '../wallet/kept-text.ts'
import { type FilesSearch, fileOrders, fileSorts } from './files-search.ts'

const lookSchema = v.object({
  view: v.fallback(v.optional(v.picklist(['grid'])), undefined),
  sort: v.fallback(v.optional(v.picklist(fileSorts)), undefined),
  order: v.fallback(v.optional(v.picklist(fileOrders)), undefined),
})
/** How the user looked at files last: an address that does not say it shows them so again. Not secret. */
type Look = v.InferOutput<typeof lookSchema>

const storageName = 'cairn.files-look'

function read(): Look {
  try {
    return v.parse(lookSchema, JSON.parse(recallText(storageName) ?? '{}'))
  } catch {
    // With foreign data under our name, the defaults apply.
    return v.parse(lookSchema, {})
  }
}

const look = createStore(read())

function keep(next: Look): void {
  keepText(storageName, JSON.stringify(next))
  look.set(next)
}

/** Remembers the view that the user chose. */
export function rememberView(view: Look['view']): void {
  keep({ ...look.get(), view })
}

/** Remembers the order that the user chose in a place. All uploads are always listed newest first at first. */
export function rememberSort({ place }: FilesSearch, { sort, order }: Pick<Look, 'sort' | 'order'>): void {
  if (place !== 'uploads') keep({ ...look.get(), sort, order })
}

/** Returns the parameters of the list: those of the address, and for the rest, how the user looked at files last. */
export function useListSearch(): FilesSearch {
  const search = useSearch({ from: '/files' })
  const last = useStore(look)
  return useMemo(() => complete(search, last), [search, last])
}

/** Completes the parameters of an address by those that the user chose last. */
export function complete(search: FilesSearch, { view, sort, order }: Look): FilesSearch {
  const hasOwnSort = search.sort !== undefined || search.place === 'uploads' || sort === undefined
  return { ...search, view: search.view ?? view, ...(hasOwnSort ? {} : { sort, order }) }
}
