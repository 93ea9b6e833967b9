import { useNavigate } from '@tanstack/react-router'
import { LayoutGrid, List } from '#icons'
import { messages } from '../messages/messages.ts'
import { classNames } from '../ui/class-names.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { accessFilters, type FilesSearch, fileKinds } from './files-search.ts'
import { readKinds, toggleKind } from './filter-files.ts'
import { rememberView } from './list-search.ts'
import { SortMenu } from './SortMenu.tsx'
import type { Sort } from './sort-files.ts'

/** A phone shows only the view to change to, because filters need the width. */
const viewClass = 'aria-pressed:bg-hover aria-pressed:text-ink max-sm:aria-pressed:hidden'

/** Space for the filters beside the heading. Elsewhere, they are below the places, which have the same position on every page. */
export const wideQuery = '(width >= 80rem)'

/** Filter chips, in any combination, and the two views of the list. The address contains all of it. */
export function FilterBar({
  search,
  firstSort,
  tags = [],
  tag,
  onTag,
}: {
  search: FilesSearch
  /** The order of the list when the search names none. */
  firstSort: Sort
  /** Tags of the drive, and the one that is shown. Not in the address, which a reload sends to the service. */
  tags?: readonly string[]
  tag?: string | undefined
  onTag?: (tag: string | undefined) => void
}) {
  const navigate = useNavigate()
  const go = (next: FilesSearch) => void navigate({ to: '/files', search: next })
  const show = (view: FilesSearch['view']) => {
    rememberView(view)
    go({ ...search, view })
  }
  const kinds = readKinds(search)
  return (
    <div className="flex min-w-0 max-w-full items-center justify-between gap-2">
      <fieldset className="flex min-w-0 gap-1 overflow-x-auto p-0.5 [scrollbar-width:thin]">
        <legend className="sr-only">{messages.files.filters}</legend>
        <Chip
          label={messages.files.all}
          isOn={kinds.length === 0 && search.access === undefined && tag === undefined}
          onPress={() => {
            onTag?.(undefined)
            go({ ...search, type: undefined, access: undefined })
          }}
        />
        {accessFilters.map((access) => (
          <Chip
            key={access}
            label={messages.files.access[access]}
            isOn={search.access === access}
            onPress={() => go({ ...search, access: search.access === access ? undefined : access })}
          />
        ))}
        <span aria-hidden="true" className="mx-1 w-px shrink-0 self-stretch bg-line" />
        {fileKinds.map((kind) => (
          <Chip
            key={kind}
            label={messages.files.kinds[kind]}
            isOn={kinds.includes(kind)}
            onPress={() => go(toggleKind(search, kind))}
          />
        ))}
        {tags.length === 0 ? undefined : (
          <span aria-hidden="true" className="mx-1 w-px shrink-0 self-stretch bg-line" />
        )}
        {tags.map((one) => (
          <Chip key={one} label={`#${one}`} isOn={one === tag} onPress={() => onTag?.(one === tag ? undefined : one)} />
        ))}
      </fieldset>
      <fieldset className="flex shrink-0">
        <legend className="sr-only">{messages.files.view}</legend>
        <span className={classNames('inline-flex', search.view === undefined && 'sm:hidden')}>
          <SortMenu search={search} firstSort={firstSort} />
        </span>
        <IconButton
          icon={List}
          label={messages.files.viewList}
          size="small"
          aria-pressed={search.view === undefined}
          className={viewClass}
          onClick={() => show(undefined)}
        />
        <IconButton
          icon={LayoutGrid}
          label={messages.files.viewGrid}
          size="small"
          aria-pressed={search.view === 'grid'}
          className={viewClass}
          onClick={() => show('grid')}
        />
      </fieldset>
    </div>
  )
}

function Chip({ label, isOn, onPress }: { label: string; isOn: boolean; onPress: () => void }) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onPress}
      className={classNames(
        'h-8 shrink-0 rounded-full border px-2.5 text-sm transition-colors pointer-coarse:h-11 pointer-coarse:min-w-11 pointer-coarse:px-3',
        isOn
          ? 'border-accent-line bg-accent-soft font-medium text-accent-ink'
          : 'border-line bg-surface text-ink-soft hover:bg-hover hover:text-ink',
      )}
    >
      {label}
    </button>
  )
}
