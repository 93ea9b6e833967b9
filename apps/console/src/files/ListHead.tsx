import { ArrowDown, ArrowUp } from '#icons'
import { messages } from '../messages/messages.ts'
import { classNames } from '../ui/class-names.ts'
import type { FilesSearch } from './files-search.ts'
import { SelectAll } from './SelectAll.tsx'
import { nextSort, readSort, type Sort } from './sort-files.ts'
import { useSortBy } from './use-sort-by.ts'

/** The columns of the list, the same for its head and its rows. */
export const listColumns =
  'grid grid-cols-[2rem_minmax(0,1fr)_10rem_6rem_8rem_2.5rem] items-center gap-x-6 max-lg:grid-cols-[2rem_minmax(0,1fr)_6rem_8rem_2.5rem] max-lg:gap-x-4'

/** The head of the list: a checkbox for all files, and each column that can be sorted by is a button. */
export function ListHead({
  search,
  firstSort,
  ...all
}: {
  search: FilesSearch
  firstSort: Sort
  count: number
  selectedCount: number
  onChange: (areAll: boolean) => void
}) {
  const sortBy = useSortBy(search)
  const { sort, order } = readSort(search, firstSort)
  const column = (label: string, name: Sort, className = '') => (
    // biome-ignore lint/a11y/useSemanticElements: a virtual list cannot be a table.
    // biome-ignore lint/a11y/useFocusableInteractive: its button is.
    <div
      role="columnheader"
      aria-sort={name === sort ? (order === 'asc' ? 'ascending' : 'descending') : 'none'}
      className={className}
    >
      <button
        type="button"
        onClick={() => sortBy(nextSort({ sort, order }, name))}
        className={classNames(
          '-mx-2 inline-flex h-8 items-center gap-1 rounded-sm px-2 font-medium text-sm hover:bg-hover hover:text-ink',
          name === sort ? 'text-ink' : 'text-ink-soft',
        )}
      >
        {label}
        {name === sort ? (
          order === 'asc' ? (
            <ArrowUp aria-hidden="true" size={14} />
          ) : (
            <ArrowDown aria-hidden="true" size={14} />
          )
        ) : undefined}
      </button>
    </div>
  )
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above.
    <div role="rowgroup" data-list-head className="sticky top-16 z-10 bg-page">
      {/** biome-ignore lint/a11y/useSemanticElements: see above. */}
      {/** biome-ignore lint/a11y/useFocusableInteractive: its buttons are. */}
      <div role="row" aria-rowindex={1} className={classNames(listColumns, 'h-11 border-line border-b px-3')}>
        {/** biome-ignore lint/a11y/useSemanticElements: see above. */}
        {/** biome-ignore lint/a11y/useFocusableInteractive: its checkbox is. */}
        <div role="columnheader">
          <SelectAll isBare {...all} />
        </div>
        {column(messages.files.name, 'fileName')}
        <Head label={messages.files.cid} className="max-lg:hidden" />
        {column(messages.files.size, 'fileSizeInBytes', 'text-right')}
        {column(messages.files.added, 'createdAt')}
        <Head label={messages.files.actions} isHidden />
      </div>
    </div>
  )
}

function Head({ label, isHidden = false, className = '' }: { label: string; isHidden?: boolean; className?: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above.
    // biome-ignore lint/a11y/useFocusableInteractive: there is nothing to do with it.
    <div role="columnheader" className={classNames('font-medium text-ink-soft text-sm', className)}>
      <span className={isHidden ? 'sr-only' : ''}>{label}</span>
    </div>
  )
}
