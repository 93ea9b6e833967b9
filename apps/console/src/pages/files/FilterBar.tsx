import { useNavigate } from '@tanstack/react-router'
import { LayoutGrid, List } from 'lucide-react'
import type { FilesSearch } from '../../files/files-search.ts'
import { classNames } from '../../ui/class-names.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { words } from '../../words/words.ts'

type Filter = Pick<FilesSearch, 'type' | 'access'>

const chips: readonly { label: string; filter: Filter }[] = [
  { label: words.files.all, filter: {} },
  { label: words.files.public, filter: { access: 'plain' } },
  { label: words.files.encrypted, filter: { access: 'encrypted' } },
  { label: words.files.images, filter: { type: 'image' } },
  { label: words.files.video, filter: { type: 'video' } },
  { label: words.files.audio, filter: { type: 'audio' } },
  { label: words.files.documents, filter: { type: 'text' } },
]

/** Chips that narrow the list, and its two views. All of it stands in the address. */
export function FilterBar({ search }: { search: FilesSearch }) {
  const navigate = useNavigate()
  const go = (next: FilesSearch) => void navigate({ to: '/files', search: next })
  return (
    <div className="flex min-w-0 max-w-full items-center gap-3">
      <fieldset className="flex min-w-0 gap-1 overflow-x-auto p-0.5">
        <legend className="sr-only">{words.files.filters}</legend>
        {chips.map(({ label, filter }) => {
          const isOn = filter.type === search.type && filter.access === search.access
          return (
            <button
              key={label}
              type="button"
              aria-pressed={isOn}
              onClick={() => go({ ...search, type: filter.type, access: filter.access })}
              className={classNames(
                'h-8 shrink-0 rounded-full border px-3 text-sm transition-colors pointer-coarse:h-11',
                isOn
                  ? 'border-accent-line bg-accent-soft font-medium text-accent-ink'
                  : 'border-line bg-surface text-ink-soft hover:bg-hover hover:text-ink',
              )}
            >
              {label}
            </button>
          )
        })}
      </fieldset>
      <fieldset className="flex shrink-0">
        <legend className="sr-only">{words.files.view}</legend>
        <IconButton
          icon={List}
          label={words.files.viewList}
          size="small"
          aria-pressed={search.view === undefined}
          className="aria-pressed:bg-hover aria-pressed:text-ink"
          onClick={() => go({ ...search, view: undefined })}
        />
        <IconButton
          icon={LayoutGrid}
          label={words.files.viewGrid}
          size="small"
          aria-pressed={search.view === 'grid'}
          className="aria-pressed:bg-hover aria-pressed:text-ink"
          onClick={() => go({ ...search, view: 'grid' })}
        />
      </fieldset>
    </div>
  )
}
