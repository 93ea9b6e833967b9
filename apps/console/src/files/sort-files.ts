import type { FilesSearch, fileSorts } from './files-search.ts'
import { firstOrder } from './filter-files.ts'

export type Sort = (typeof fileSorts)[number]
export type Order = NonNullable<FilesSearch['order']>

/** Returns the order that a list has. @param firstSort if the search names none */
export function readSort({ sort, order }: FilesSearch, firstSort: Sort): { sort: Sort; order: Order } {
  const by = sort ?? firstSort
  return { sort: by, order: order ?? firstOrder(by) }
}

/** Returns the order after a click on a column: its own first one, or the other one if the list is sorted by it already. */
export function nextSort(now: { sort: Sort; order: Order }, next: Sort): { sort: Sort; order: Order } {
  if (next !== now.sort) return { sort: next, order: firstOrder(next) }
  return { sort: next, order: now.order === 'asc' ? 'desc' : 'asc' }
}
