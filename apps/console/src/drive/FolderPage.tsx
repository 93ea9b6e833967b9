import { useNavigate } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { FolderOpen, FolderPlus } from '#icons'
import { useMedia } from '../browser/use-media.ts'
import type { ShownDrive } from '../drive-index/shown-drive.ts'
import { FileCollection } from '../files/FileCollection.tsx'
import { intoFolder } from '../files/FileLink.tsx'
import { FilterBar, wideQuery } from '../files/FilterBar.tsx'
import { FirstRun } from '../files/FirstRun.tsx'
import { useListSearch } from '../files/list-search.ts'
import { isDriveFolder, type ListedFile } from '../files/listed-file.ts'
import { noSelection } from '../files/selection.ts'
import { messages } from '../messages/messages.ts'
import { isAborted } from '../session/is-aborted.ts'
import { Button } from '../ui/Button.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { toastError } from '../ui/toasts/toast-store.ts'
import { Breadcrumb } from './Breadcrumb.tsx'
import { ItemDialogs } from './ItemDialogs.tsx'
import { ItemsBar } from './ItemsBar.tsx'
import { NothingHere } from './NothingHere.tsx'
import { Places } from './Places.tsx'
import { StillListing } from './StillListing.tsx'
import { useFolderKeys } from './use-folder-keys.ts'
import { useFolderList } from './use-folder-list.ts'
import { useFolderSelection } from './use-folder-selection.ts'
import { type ItemDialog, useItemActions } from './use-item-actions.ts'
import { useItemDrag } from './use-item-drag.ts'
import { useItemEdits } from './use-item-edits.ts'
import { useShownFolder } from './use-shown-folder.ts'

/** A folder of the drive, the starred items, or the results of a search in all folders. */
export function FolderPage({ shown }: { shown: ShownDrive }) {
  const { drive } = shown
  const search = useListSearch()
  const { folder: folderId = '', place } = search
  const navigate = useNavigate()
  const isNarrow = useMedia('(width < 40rem)')
  const isWide = useMedia(wideQuery)
  const [tag, setTag] = useState<string>()
  const [dialog, setDialog] = useState<ItemDialog>()
  const edits = useItemEdits(shown)
  const actions = useItemActions(edits, setDialog)
  const { path, files, tags, crumbs, isFiltered, isUnused } = useFolderList(shown, search, tag)
  const { selection, setSelection, selected, active } = useFolderSelection(files, { folderId, place })
  useShownFolder({ files, folderId, path, place, edits, actions, onDialog: setDialog })

  const open = (file: ListedFile) =>
    void (isDriveFolder(file)
      ? navigate({ to: '/files', search: intoFolder(search, file.id) })
      : navigate({ to: '/files/$cid', params: { cid: file.cid }, search }))
  const openAbove = () => {
    const above = crumbs.at(-2)
    if (above !== undefined) void navigate({ to: '/files', search: intoFolder(search, above.id) })
  }
  const moveInto = useCallback(
    (moved: readonly string[], target: string) => {
      edits.move(moved, target).catch((error: unknown) => {
        if (!isAborted(error)) toastError(messages.drive.changeFailed, error)
      })
    },
    [edits],
  )
  const drag = useItemDrag(drive, moveInto, setDialog)
  const selectAll = () => setSelection((before) => ({ ...before, ids: new Set(files.map(({ id }) => id)) }))
  const { onKey, cutIds } = useFolderKeys({
    active,
    selectedIds: selected.map(({ id }) => id),
    pasteInto: place === undefined ? folderId : undefined,
    onSelectAll: files.length === 0 ? undefined : selectAll,
    onSelectNone: () => setSelection((before) => ({ ...before, ids: new Set() })),
    onTrash: (ids) => void edits.trash(ids),
    onMove: moveInto,
    onUp: openAbove,
    onDialog: setDialog,
  })

  const dialogs =
    dialog === undefined ? undefined : (
      <ItemDialogs
        // A first folder ends the page of an empty drive before its dialog is done with it.
        key="dialogs"
        {...{ dialog, drive, folderId, edits }}
        knownTags={tags}
        onClose={() => setDialog(undefined)}
      />
    )
  if (isUnused) {
    return (
      <>
        <FirstRun>
          <Button onClick={() => setDialog({ kind: 'folder' })}>
            <FolderPlus aria-hidden="true" size={16} />
            {messages.drive.newFolder}
          </Button>
        </FirstRun>
        {dialogs}
      </>
    )
  }
  // On a phone, the places need the whole width.
  const newFolder =
    place === undefined && path !== undefined ? (
      <Button size="small" className="sm:mb-1.5" onClick={() => setDialog({ kind: 'folder' })}>
        <FolderPlus aria-hidden="true" size={15} />
        {messages.drive.newFolder}
      </Button>
    ) : undefined
  const filters = <FilterBar search={search} firstSort="fileName" tags={tags} tag={tag} onTag={setTag} />
  const areBeside = isWide && tags.length === 0
  return (
    <>
      <PageHeader
        isBrief
        title={messages.pages.files}
        hint={
          path === undefined
            ? undefined
            : drive.isListed
              ? messages.drive.count(files.length)
              : messages.drive.listing(drive.uploads.length)
        }
      >
        {isNarrow ? newFolder : undefined}
        {areBeside ? filters : undefined}
      </PageHeader>
      <Places>{isNarrow ? undefined : newFolder}</Places>
      {areBeside ? undefined : <div className="mb-2">{filters}</div>}
      {crumbs.length > 1 ? (
        <div className="mb-1 flex min-w-0">
          <Breadcrumb crumbs={crumbs} onDrop={moveInto} />
        </div>
      ) : undefined}
      {path === undefined ? (
        <EmptyState icon={FolderOpen} title={messages.drive.folderGone} hint={messages.drive.folderGoneHint}>
          <Button onClick={() => void navigate({ to: '/files', search: intoFolder(search, '') })}>
            {messages.drive.goToRoot}
          </Button>
        </EmptyState>
      ) : files.length === 0 && !drive.isListed ? (
        <StillListing />
      ) : files.length === 0 ? (
        <NothingHere
          isFiltered={isFiltered}
          isStarred={place === 'starred'}
          onClear={() => {
            setTag(undefined)
            void navigate({ to: '/files', search: { ...search, q: undefined, type: undefined, access: undefined } })
          }}
        />
      ) : (
        <FileCollection
          // Another list starts at its top.
          key={`${place}.${folderId}`}
          files={files}
          totalFiles={files.length}
          search={search}
          firstSort="fileName"
          isGrid={search.view === 'grid'}
          isNarrow={isNarrow}
          selection={selection}
          onSelection={setSelection}
          onSelectAll={selectAll}
          onOpen={open}
          onDelete={(chosen) => void edits.trash(chosen.map(({ id }) => id))}
          actions={actions}
          onOtherKey={onKey}
          cutIds={cutIds}
          drag={drag}
        />
      )}
      <ItemsBar
        files={selected}
        edits={edits}
        onDialog={setDialog}
        total={files.length}
        onSelectAll={selectAll}
        onClear={() => setSelection(noSelection)}
      />
      {dialogs}
    </>
  )
}
