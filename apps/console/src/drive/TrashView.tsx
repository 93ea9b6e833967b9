import type { DriveItem } from '@cairn/sdk'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Trash2, Undo2 } from '#icons'
import { useRem } from '../browser/use-rem.ts'
import { plainSizeText } from '../content/plain-size.ts'
import type { ShownDrive } from '../drive-index/shown-drive.ts'
import { useDriveVersion } from '../drive-index/use-drive.ts'
import { BulkBar } from '../files/BulkBar.tsx'
import { fileIcon } from '../files/file-icon.ts'
import { SelectAll } from '../files/SelectAll.tsx'
import { keepExisting, noSelection, type Selection, type SelectMode, selectRow } from '../files/selection.ts'
import { factSeparator, formatAgo } from '../messages/format.ts'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Confirm } from '../ui/dialogs/Confirm.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { useRemeasure } from '../ui/use-remeasure.ts'
import { FileName } from '../ui/values/FileName.tsx'
import { ListedNames } from '../ui/values/ListedNames.tsx'
import { parentOf } from './list-items.ts'
import { Places } from './Places.tsx'
import { StillListing } from './StillListing.tsx'
import { useItemEdits } from './use-item-edits.ts'

const dayMs = 86_400_000
const trashDays = 30
/** In rem. */
const rowHeight = 4.25

/** Deleted items, to restore or to delete permanently. None is deleted automatically: a wrong clock would delete content. */
export function TrashView({ shown }: { shown: ShownDrive }) {
  const version = useDriveVersion(shown)
  const edits = useItemEdits(shown)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a drive is read again when its version changes.
  const items = useMemo(() => shown.drive.trash(), [shown, version])
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above.
  const hasBuckets = useMemo(() => shown.drive.uploads.some(({ managedBy }) => managedBy === 's3'), [shown, version])
  const [deleting, setDeleting] = useState<readonly DriveItem[]>([])
  const [isBusy, setBusy] = useState(false)
  const [selection, setSelection] = useState<Selection>(noSelection)
  useEffect(() => setSelection((before) => keepExisting(items, before)), [items])
  const selected = useMemo(() => items.filter(({ id }) => selection.ids.has(id)), [items, selection.ids])
  const restore = (chosen: readonly DriveItem[]) => void edits.restore(chosen.map(({ id }) => id))
  const due = items.filter(({ trashedAt = 0 }) => trashedAt <= Date.now() - trashDays * dayMs)
  const emptyLabel = due.length > 0 ? messages.drive.emptyDue(due.length) : messages.drive.emptyTrash
  const remove = async () => {
    setBusy(true)
    await edits.deleteForGood(deleting.map(({ id }) => id))
    setBusy(false)
    setDeleting([])
  }
  return (
    <>
      <PageHeader title={messages.pages.files} hint={messages.drive.count(items.length)} />
      <Places />
      {items.length === 0 ? undefined : (
        <p className="mb-2 max-w-prose text-ink-soft text-sm">{messages.drive.trashHint}</p>
      )}
      {shown.drive.isListed ? undefined : <StillListing />}
      {items.length === 0 ? (
        shown.drive.isListed ? (
          <EmptyState icon={Trash2} title={messages.drive.trashEmpty} hint={messages.drive.trashEmptyHint} />
        ) : undefined
      ) : (
        <>
          <div className="flex items-center gap-2">
            <SelectAll
              count={items.length}
              selectedCount={selected.length}
              onChange={(areAll) =>
                setSelection({ ...noSelection, ids: new Set(areAll ? items.map(({ id }) => id) : []) })
              }
            />
            <Button
              size="small"
              className="ml-auto max-sm:min-w-11"
              title={messages.drive.restoreAll}
              onClick={() => restore(items)}
            >
              <Undo2 aria-hidden="true" size={15} />
              <span className="max-sm:sr-only">{messages.drive.restoreAll}</span>
            </Button>
            <Button
              size="small"
              title={emptyLabel}
              className="text-bad max-sm:min-w-11"
              onClick={() => setDeleting(due.length > 0 ? due : items)}
            >
              <Trash2 aria-hidden="true" size={15} />
              <span className="max-sm:sr-only">{emptyLabel}</span>
            </Button>
          </div>
          <TrashList
            items={items}
            selectedIds={selection.ids}
            onSelect={(id, mode) =>
              setSelection((before) =>
                selectRow(
                  items.map((item) => item.id),
                  before,
                  id,
                  mode,
                ),
              )
            }
            onRestore={(item) => restore([item])}
            onDelete={(item) => setDeleting([item])}
          />
        </>
      )}
      {selected.length === 0 ? undefined : (
        <BulkBar
          files={toContents(selected)}
          count={selected.length}
          actions={[
            { id: 'restore', label: messages.drive.restore, icon: Undo2, run: () => restore(selected) },
            {
              id: 'delete',
              label: messages.drive.deleteForGood,
              icon: Trash2,
              isDanger: true,
              run: () => setDeleting(selected),
            },
          ]}
          onClear={() => setSelection(noSelection)}
        />
      )}
      <Confirm
        isOpen={deleting.length > 0}
        onClose={() => setDeleting([])}
        title={messages.drive.deleteTitle(deleting.length)}
        hint={
          hasBuckets ? `${messages.drive.deleteHint} ${messages.drive.deleteBucketsHint}` : messages.drive.deleteHint
        }
        confirmLabel={messages.drive.deleteForGood}
        isBusy={isBusy}
        onConfirm={() => void remove()}
      >
        <ListedNames items={deleting} />
      </Confirm>
    </>
  )
}

/** The files among items of the trash: a folder has no size of its own. */
function toContents(items: readonly DriveItem[]) {
  return items.flatMap((item) => (item.kind === 'file' ? [item] : []))
}

function TrashList({
  items,
  selectedIds,
  onSelect,
  onRestore,
  onDelete,
}: {
  items: readonly DriveItem[]
  selectedIds: ReadonlySet<string>
  onSelect: (id: string, mode: SelectMode) => void
  onRestore: (item: DriveItem) => void
  onDelete: (item: DriveItem) => void
}) {
  const list = useRef<HTMLUListElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    if (list.current !== null) setTop(list.current.getBoundingClientRect().top + scrollY)
  }, [])
  const height = useRem()(rowHeight)
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => height,
    overscan: 6,
    scrollMargin: top,
  })
  useRemeasure(virtual, height)
  return (
    <ul
      ref={list}
      aria-label={messages.drive.place.trash}
      className="relative"
      style={{ height: virtual.getTotalSize() }}
    >
      {virtual.getVirtualItems().map(({ index, start }) => {
        const item = items[index]
        return item === undefined ? undefined : (
          <li
            key={item.id}
            aria-setsize={items.length}
            aria-posinset={index + 1}
            style={{ height, transform: `translateY(${start - top}px)` }}
            className={classNames(
              'absolute inset-x-0 top-0 flex items-center gap-3 border-line border-b px-1 sm:px-3',
              selectedIds.has(item.id) && 'bg-accent-soft',
            )}
          >
            <label className="-m-3 grid size-10 shrink-0 cursor-pointer place-items-center pointer-coarse:size-11">
              <input
                type="checkbox"
                aria-label={messages.files.select(markControls(item.name))}
                checked={selectedIds.has(item.id)}
                // A change has no keys, but it follows each click.
                onClick={({ shiftKey }) => onSelect(item.id, shiftKey ? 'range' : 'toggle')}
                onChange={() => undefined}
                className="size-4 accent-accent"
              />
            </label>
            <TrashRow item={item} onRestore={onRestore} onDelete={onDelete} />
          </li>
        )
      })}
    </ul>
  )
}

function TrashRow({
  item,
  onRestore,
  onDelete,
}: {
  item: DriveItem
  onRestore: (item: DriveItem) => void
  onDelete: (item: DriveItem) => void
}) {
  const { name, path, trashedAt = 0 } = item
  const Icon =
    item.kind === 'file'
      ? fileIcon({ mimeType: item.mimeType, encryption: item.isEncrypted })
      : fileIcon({ mimeType: null, encryption: false }, true)
  const left = Math.ceil((trashedAt + trashDays * dayMs - Date.now()) / dayMs)
  return (
    <>
      <Icon aria-hidden="true" size={18} strokeWidth={1.7} className="shrink-0 text-ink-faint" />
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium text-sm">
          <FileName name={name} />
        </p>
        <p className="text-ink-soft text-sm max-sm:line-clamp-2 sm:truncate">
          {[
            messages.drive.trashedAgo(formatAgo(trashedAt)),
            messages.drive.trashDue(left),
            ...(parentOf(path) === '/' ? [] : [messages.drive.trashFrom(parentOf(path))]),
            ...(item.kind === 'file' ? [plainSizeText([item])] : []),
          ].join(factSeparator)}
        </p>
      </div>
      <Button size="small" onClick={() => onRestore(item)}>
        <Undo2 aria-hidden="true" size={15} />
        <span className="max-sm:sr-only">{messages.drive.restore}</span>
        <span className="sr-only">{name}</span>
      </Button>
      <IconButton
        icon={Trash2}
        size="small"
        label={`${messages.drive.deleteForGood}: ${name}`}
        className="text-bad"
        onClick={() => onDelete(item)}
      />
    </>
  )
}
