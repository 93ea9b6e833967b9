import { ArrowDown, ArrowUp, ArrowUpDown } from '#icons'
import { messages } from '../messages/messages.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { ButtonMenu } from '../ui/Menu.tsx'
import { type FilesSearch, fileSorts } from './files-search.ts'
import { nextSort, readSort, type Sort } from './sort-files.ts'
import { useSortBy } from './use-sort-by.ts'

/** Sorts files where the list has no columns to click: as tiles, and on a phone. */
export function SortMenu({ search, firstSort }: { search: FilesSearch; firstSort: Sort }) {
  const sortBy = useSortBy(search)
  const now = readSort(search, firstSort)
  const Direction = now.order === 'asc' ? ArrowUp : ArrowDown
  return (
    <ButtonMenu
      label={messages.files.sort}
      items={fileSorts.map((sort) => ({
        id: sort,
        label: messages.files.sortNames[sort],
        icon: sort === now.sort ? Direction : ArrowUpDown,
        run: () => sortBy(nextSort(now, sort)),
      }))}
    >
      <IconButton
        icon={ArrowUpDown}
        size="small"
        label={messages.files.sortedBy(messages.files.sortNames[now.sort], now.order === 'asc')}
      />
    </ButtonMenu>
  )
}
