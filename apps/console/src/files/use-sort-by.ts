import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { FilesSearch } from './files-search.ts'
import { rememberSort } from './list-search.ts'
import type { Order, Sort } from './sort-files.ts'

/** Returns a function that sorts the list, and remembers the order for the next time. */
export function useSortBy(search: FilesSearch): (next: { sort: Sort; order: Order }) => void {
  const navigate = useNavigate()
  return useCallback(
    (next) => {
      rememberSort(search, next)
      void navigate({ to: '/files', search: { ...search, ...next } })
    },
    [navigate, search],
  )
}
