import { memo, type ReactNode } from 'react'
import { UserRound } from '#icons'
import { formatAgo, formatDateTime, shorten } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { classNames } from '../ui/class-names.ts'
import { copyCid } from './copy-cids.ts'
import { FileLink } from './FileLink.tsx'
import { AccessIcon, FileMark, ItemMarks, ItemTags } from './FileMark.tsx'
import { FileMenu } from './FileMenu.tsx'
import type { FilesSearch } from './files-search.ts'
import { listColumns } from './ListHead.tsx'
import type { ListedFile } from './listed-file.ts'
import type { DropResult } from './row-drag.ts'
import type { FileActions } from './use-file-actions.ts'
import { useShownFile } from './use-shown-file.ts'

/** One file in the list; on a phone its row has two lines. Rendered again only when it changes: scrolling renders new rows. */
export const FileRow = memo(function FileRow({
  file,
  rowIndex,
  isNarrow,
  isSelected,
  isCut,
  isActive,
  onToggle,
  actions,
  search,
  dropResult,
  isDraggable,
  height,
  top,
}: {
  file: ListedFile
  rowIndex: number
  isNarrow: boolean
  isSelected: boolean
  /** Whether it was cut, and moves to where it is pasted. */
  isCut: boolean
  isActive: boolean
  onToggle: (id: string) => void
  actions: FileActions
  search: FilesSearch
  /** The result of a drop here, while something is dragged over it. */
  dropResult: DropResult | undefined
  isDraggable: boolean
  height: number
  /** From the start of the list, in px. */
  top: number
}) {
  const { id, cid, createdAt, encryption, private: isPrivate = false, item, place } = file
  const { name, isFolder, isOwnFolder, Icon, size } = useShownFile(file)
  const added = isOwnFolder ? '' : formatAgo(createdAt)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a virtual list cannot be a table.
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus.
    <div
      role="row"
      id={`file-${id}`}
      data-file={id}
      draggable={isDraggable}
      {...(isActive ? { 'data-active': '' } : {})}
      aria-rowindex={rowIndex}
      aria-selected={isSelected}
      style={{ height, transform: `translateY(${top}px)` }}
      className={classNames(
        'absolute inset-x-0 top-0 border-line border-b',
        isNarrow
          ? 'grid grid-cols-[2.75rem_minmax(0,1fr)_2.75rem] items-center gap-x-1'
          : classNames(listColumns, 'px-3'),
        isSelected ? 'bg-accent-soft' : 'hover:bg-hover',
        isCut && '-outline-offset-3 outline-1 outline-line-strong outline-dashed',
        dropResult !== undefined && '-outline-offset-2 outline-2',
        dropResult === 'into' && 'outline-accent',
        dropResult === 'refused' && 'outline-line-strong outline-dashed',
        isActive &&
          'group-focus-visible/files:outline-2 group-focus-visible/files:outline-accent group-focus-visible/files:-outline-offset-2',
      )}
    >
      <Cell>
        <label className="-m-2 grid size-10 cursor-pointer place-items-center pointer-coarse:size-11">
          <input
            type="checkbox"
            aria-label={messages.files.select(name)}
            checked={isSelected}
            onChange={() => onToggle(id)}
            className="size-4 accent-accent"
          />
        </label>
      </Cell>
      <Cell className="flex min-w-0 items-center gap-3">
        <FileMark file={file} icon={Icon} size={18} />
        <span className="min-w-0">
          <span className="flex min-w-0 items-center gap-2">
            <FileLink file={file} search={search} />
            {isCut ? <span className="sr-only">{messages.drive.isCut}</span> : undefined}
            {isPrivate && !isNarrow ? (
              <span className="flex shrink-0 items-center gap-1 text-ink-soft text-xs">
                <UserRound aria-hidden="true" size={12} />
                {messages.files.access.private}
              </span>
            ) : undefined}
            {item === undefined ? undefined : <ItemMarks item={item} isNarrow={isNarrow} />}
          </span>
          {isNarrow ? (
            <span className="flex min-w-0 items-center gap-1.5 text-ink-soft text-sm">
              <AccessIcon file={file} />
              <span className="truncate">
                {[
                  isOwnFolder ? messages.files.folder : messages.files.sizeAndDate(size, added),
                  item?.kind === 'file' && item.versions.length > 1
                    ? messages.drive.versionCount(item.versions.length)
                    : '',
                  place ?? '',
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
              {item === undefined ? undefined : <ItemTags tags={item.tags} />}
            </span>
          ) : encryption ? (
            <span className="sr-only">{messages.files.access.encrypted}</span>
          ) : undefined}
          {dropResult === 'refused' ? (
            <span className="block truncate text-ink-soft text-xs">{messages.drive.moveRefusedHere}</span>
          ) : isNarrow || place === undefined ? undefined : (
            <span className="block truncate text-ink-soft text-xs">{messages.drive.inFolder(place)}</span>
          )}
          {isFolder && !(isNarrow && isOwnFolder) ? (
            <span className="sr-only">{messages.files.folder}</span>
          ) : undefined}
        </span>
      </Cell>
      {isNarrow ? undefined : (
        <>
          <Cell className="max-lg:hidden">
            {cid === '' ? undefined : (
              <button
                type="button"
                title={cid}
                onClick={() => void copyCid(cid)}
                className="-mx-2 h-8 rounded-sm px-2 font-mono text-ink-soft text-xs hover:bg-line hover:text-ink"
              >
                <span aria-hidden="true">{shorten(cid)}</span>
                <span className="sr-only">
                  {messages.files.copyCid} {cid}
                </span>
              </button>
            )}
          </Cell>
          <Cell className="text-right text-ink-soft text-sm tabular">{size}</Cell>
          <Cell className="truncate text-ink-soft text-sm">
            {isOwnFolder ? undefined : (
              <time dateTime={new Date(createdAt).toISOString()} title={formatDateTime(createdAt)}>
                {added}
              </time>
            )}
          </Cell>
        </>
      )}
      <Cell>
        <FileMenu file={file} actions={actions} />
      </Cell>
    </div>
  )
})

function Cell({ className = '', children }: { className?: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see above.
    // biome-ignore lint/a11y/useFocusableInteractive: what is in it is.
    <div role="gridcell" className={className}>
      {children}
    </div>
  )
}
