import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Copy, Download, FolderInput, FolderOpen, FolderPlus, SearchX, Star, Tag, Trash2, UserPlus } from '#icons'
import { isKnownFolder } from '../content/use-is-folder.ts'
import type { ShownDrive } from '../drive-index/shown-drive.ts'
import { useDriveVersion } from '../drive-index/use-drive.ts'
import { BulkBar } from '../files/BulkBar.tsx'
import { cidsOf, copyCids } from '../files/copy-cids.ts'
import { FileCollection } from '../files/FileCollection.tsx'
import { intoFolder } from '../files/FileLink.tsx'
import { FilterBar } from '../files/FilterBar.tsx'
import { FirstRun } from '../files/FirstRun.tsx'
import { setFileTools } from '../files/file-tools.ts'
import { isNarrowed } from '../files/filter-files.ts'
import { isDriveFolder, type ListedFile } from '../files/listed-file.ts'
import type { RowDrag } from '../files/row-drag.ts'
import { keepExisting, noSelection, type Selection } from '../files/selection.ts'
import { setShownOrder } from '../files/shown-order.ts'
import { messages } from '../messages/messages.ts'
import { gatewayUrl } from '../network/gateway-url.ts'
import { useNetwork } from '../network/use-network.ts'
import { isAborted } from '../session/is-aborted.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { toastError } from '../ui/toast-store.ts'
import { touchQuery, useMedia } from '../ui/use-media.ts'
import { setUploadPlace } from '../upload/upload-place.ts'
import { Breadcrumb } from './Breadcrumb.tsx'
import { isDraggingItems, offerDownload, readDragged, writeDragged } from './dragged.ts'
import { ItemDialogs } from './ItemDialogs.tsx'
import { folderPathOf, isWide, listAll, listCrumbs, listFolder, narrowRows } from './list-items.ts'
import { Places } from './Places.tsx'
import { StillListing } from './StillListing.tsx'
import { type ItemDialog, useItemActions } from './use-item-actions.ts'
import { useItemEdits } from './use-item-edits.ts'
import { type PageKey, usePageKeys } from './use-page-keys.ts'

/** A folder of the drive, the starred items, or the results of a search in all folders. */
export function FolderPage({ shown }: { shown: ShownDrive }) {
  const { drive } = shown
  const version = useDriveVersion(shown)
  const search = useSearch({ from: '/files' })
  const navigate = useNavigate()
  const network = useNetwork()
  const isNarrow = useMedia('(max-width: 639px)')
  const [tag, setTag] = useState<string>()
  const [selection, setSelection] = useState<Selection>(noSelection)
  const [dialog, setDialog] = useState<ItemDialog>()
  const [cut, setCut] = useState<readonly string[]>([])
  const edits = useItemEdits(shown)
  const actions = useItemActions(edits, setDialog)

  const { folder: folderId = '', place } = search
  // biome-ignore lint/correctness/useExhaustiveDependencies: a drive is read again when its version changes.
  const path = useMemo(() => folderPathOf(drive, folderId), [drive, version, folderId])
  const isOfAll = isWide(search, tag)
  const { sort, order } = search
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above.
  const all = useMemo(
    () => (isOfAll ? listAll(drive, { sort, order }) : undefined),
    [drive, version, isOfAll, sort, order],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above.
  const files = useMemo(
    () => (all === undefined ? listFolder(drive, path ?? '/', search) : narrowRows(all, path ?? '/', search, tag)),
    [drive, version, path, all, search, tag],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above.
  const tags = useMemo(() => drive.tags().slice(0, maxTags), [drive, version])
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above.
  const crumbs = useMemo(() => listCrumbs(drive, path ?? '/', messages.drive.root), [drive, version, path])

  const shownBefore = useRef(files)
  useEffect(() => {
    const listed = shownBefore.current
    shownBefore.current = files
    setSelection((before) => keepExisting(files, before, listed))
  }, [files])
  useEffect(() => {
    setShownOrder(files)
    return () => setShownOrder(undefined)
  }, [files])
  useEffect(() => {
    const byCid = new Map(files.map(({ cid, item }) => [cid, item]))
    setFileTools({
      moverOf: (cid) => {
        const item = byCid.get(cid)
        return item === undefined ? undefined : () => setDialog({ kind: 'move', items: [item] })
      },
      applyVersion: edits.applyVersion,
    })
    return () => setFileTools(undefined)
  }, [files, edits])
  useEffect(() => {
    if (path !== undefined && place === undefined) setUploadPlace(folderId === '' ? undefined : { id: folderId, path })
    return () => setUploadPlace(undefined)
  }, [path, folderId, place])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a selection belongs to one folder.
  useEffect(() => setSelection(noSelection), [folderId, place])

  const selected = useMemo(
    () => (selection.ids.size === 0 ? [] : files.filter(({ id }) => selection.ids.has(id))),
    [files, selection.ids],
  )
  const items = selected.flatMap(({ item }) => item ?? [])
  const ids = selected.map(({ id }) => id)
  const isFiltered = isNarrowed(search) || tag !== undefined

  const open = (file: ListedFile) =>
    void (isDriveFolder(file)
      ? navigate({ to: '/files', search: intoFolder(search, file.id) })
      : navigate({ to: '/files/$cid', params: { cid: file.cid }, search }))
  const moveInto = useCallback(
    (moved: readonly string[], target: string) => {
      edits.move(moved, target).catch((error: unknown) => {
        if (!isAborted(error)) toastError(messages.drive.changeFailed, error)
      })
    },
    [edits],
  )
  const goUp = () => {
    const above = crumbs.at(-2)
    if (above !== undefined) void navigate({ to: '/files', search: intoFolder(search, above.id) })
  }
  const drag = useMemo(
    (): RowDrag => ({
      onStart: (data, dragged) => {
        writeDragged(
          data,
          dragged.map(({ id }) => id),
        )
        const [only] = dragged
        if (dragged.length === 1 && only !== undefined && only.cid !== '' && !only.encryption && !only.private) {
          const { cid, fileName } = only
          offerDownload(data, fileName, gatewayUrl(network, cid, { download: true, filename: fileName }))
        }
      },
      canDrop: isDraggingItems,
      resultOf: (file) => (isDriveFolder(file) ? 'into' : isKnownFolder(file.cid) ? 'refused' : undefined),
      onDrop: (data, target) => {
        const dragged = readDragged(data)
        if (isDriveFolder(target)) moveInto(dragged, target.id)
        else {
          const moved = dragged.flatMap((id) => drive.get(id) ?? [])
          setDialog({ kind: 'move', items: moved, refusedBy: target.fileName })
        }
      },
    }),
    [network, drive, moveInto],
  )
  const onOtherKey = (event: PageKey): boolean => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event
    const active = files.find(({ id }) => id === selection.active)?.item
    if (ctrlKey || metaKey) {
      if (altKey || shiftKey) return false
      const chosen = ids.length > 0 || active === undefined ? ids : [active.id]
      if (key.toLowerCase() === 'x' && chosen.length > 0) setCut(chosen)
      else if (key.toLowerCase() === 'v' && cut.length > 0 && place === undefined) {
        moveInto(cut, folderId)
        setCut([])
      } else return false
      return true
    }
    if (key === 'F2' && active !== undefined) setDialog({ kind: 'rename', item: active })
    else if (key === 'Backspace' || (altKey && key === 'ArrowUp')) goUp()
    else return false
    return true
  }

  usePageKeys(onOtherKey)

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
  const isEmptyDrive = files.length === 0 && drive.isListed && !isFiltered && place === undefined && folderId === ''
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above.
  const hasTrash = useMemo(() => isEmptyDrive && drive.trash().length > 0, [isEmptyDrive, drive, version])
  if (isEmptyDrive && !hasTrash) {
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
        <FilterBar search={search} tags={tags} tag={tag} onTag={setTag} />
      </PageHeader>
      <Places>
        {place === undefined && path !== undefined ? (
          <Button
            size="small"
            className="mb-1.5"
            title={messages.drive.newFolder}
            onClick={() => setDialog({ kind: 'folder' })}
          >
            <FolderPlus aria-hidden="true" size={15} />
            <span className="max-sm:sr-only">{messages.drive.newFolder}</span>
          </Button>
        ) : undefined}
      </Places>
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
          onSelectAll={() => setSelection((before) => ({ ...before, ids: new Set(files.map(({ id }) => id)) }))}
          onOpen={open}
          onDelete={(chosen) => void edits.trash(chosen.map(({ id }) => id))}
          actions={actions}
          onOtherKey={onOtherKey}
          drag={drag}
        />
      )}
      {items.length > 0 ? (
        <BulkBar
          files={selected}
          actions={[
            {
              id: 'zip',
              label: messages.drive.download,
              icon: Download,
              run: () => setDialog({ kind: 'zip', items }),
            },
            {
              id: 'move',
              label: messages.drive.move,
              icon: FolderInput,
              run: () => setDialog({ kind: 'move', items }),
            },
            {
              id: 'trash',
              label: messages.files.delete,
              icon: Trash2,
              isDanger: true,
              run: () => void edits.trash(ids),
            },
          ]}
          more={[
            {
              id: 'share',
              label: messages.files.share,
              icon: UserPlus,
              run: () => setDialog({ kind: 'share', items }),
            },
            {
              id: 'star',
              label: items.every(({ isStarred }) => isStarred) ? messages.drive.unstar : messages.drive.star,
              icon: Star,
              run: () => void edits.star(ids, !items.every(({ isStarred }) => isStarred)),
            },
            {
              id: 'labels',
              label: messages.drive.labels,
              icon: Tag,
              run: () => setDialog({ kind: 'labels', items }),
            },
            // Folders have no CID to copy.
            ...(cidsOf(selected).length === 0
              ? []
              : [{ id: 'copy', label: messages.files.copyCid, icon: Copy, run: () => void copyCids(selected) }]),
          ]}
          onClear={() => setSelection(noSelection)}
        />
      ) : undefined}
      {dialogs}
    </>
  )
}

function NothingHere({
  isFiltered,
  isStarred,
  onClear,
}: {
  isFiltered: boolean
  isStarred: boolean
  onClear: () => void
}) {
  const isTouch = useMedia(touchQuery)
  if (isFiltered) {
    return (
      <EmptyState icon={SearchX} title={messages.files.nothingFits} hint={messages.files.nothingFitsHint}>
        <Button onClick={onClear}>{messages.files.clearFilters}</Button>
      </EmptyState>
    )
  }
  if (isStarred)
    return <EmptyState icon={Star} title={messages.drive.starredNone} hint={messages.drive.starredNoneHint} />
  const hint = isTouch ? messages.drive.folderEmptyHintTouch : messages.drive.folderEmptyHint
  return <EmptyState icon={FolderOpen} title={messages.drive.folderEmpty} hint={hint} />
}

/** Maximum number of tags to filter by: the most used ones. */
const maxTags = 12
