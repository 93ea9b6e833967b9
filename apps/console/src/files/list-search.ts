import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import * as v from 'valibot'
import { createStore, useStore } from '../state/store.ts'
import { keepText, recallText } from '../wallet/kept-text.ts'
import { type FilesSearch, fileOrders, fileSorts } from './files-search.ts'

const choiceSchema = v.object({
  view: v.fallback(v.optional(v.picklist(['grid'])), undefined),
  sort: v.fallback(v.optional(v.picklist(fileSorts)), undefined),
  order: v.fallback(v.optional(v.picklist(fileOrders)), undefined),
})
/** How the user looked at files last: an address that does not say it shows them so again. Not secret. */
type Choice = v.InferOutput<typeof choiceSchema>

const storageName = 'cairn.files-view'

function read(): Choice {
  try {
    return v.parse(choiceSchema, JSON.parse(recallText(storageName) ?? '{}'))
  } catch {
    // With foreign data under our name, the defaults apply.
    return v.parse(choiceSchema, {})
  }
}

const lastChoice = createStore(read())

function keep(next: Choice): void {
  keepText(storageName, JSON.stringify(next))
  lastChoice.set(next)
}

/** Remembers the view that the user chose. */
export function rememberView(view: Choice['view']): void {
  keep({ ...lastChoice.get(), view })
}

/** Remembers the order that the user chose in a place. All uploads are always listed newest first at first. */
export function rememberSort({ place }: FilesSearch, { sort, order }: Pick<Choice, 'sort' | 'order'>): void {
  if (place !== 'uploads') keep({ ...lastChoice.get(), sort, order })
}

/** Returns the parameters of the list: those of the address, and for the rest, the last choice of the user. */
export function useListSearch(): FilesSearch {
  const search = useSearch({ from: '/files' })
  const last = useStore(lastChoice)
  return useMemo(() => complete(search, last), [search, last])
}

/** Completes the parameters of an address by those that the user chose last. */
export function complete(search: FilesSearch, { view, sort, order }: Choice): FilesSearch {
  const hasOwnSort = search.sort !== undefined || search.place === 'uploads' || sort === undefined
  return { ...search, view: search.view ?? view, ...(hasOwnSort ? {} : { sort, order }) }
}
