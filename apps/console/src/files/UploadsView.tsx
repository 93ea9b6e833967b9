import type { FileEntry } from '@cairn/sdk'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, Suspense, useEffect, useMemo, useState } from 'react'
import { Copy, Download, SearchX, Trash2 } from '#icons'
import { useMedia } from '../browser/use-media.ts'
import { messages } from '../messages/messages.ts'
import { lazyPart } from '../parts/lazy-part.tsx'
import { Button } from '../ui/Button.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { ErrorState } from '../ui/states/ErrorState.tsx'
import { StaleBanner } from '../ui/states/StaleBanner.tsx'
import { BulkBar } from './BulkBar.tsx'
import { copyCids } from './copy-cids.ts'
import { DeleteDialog } from './DeleteDialog.tsx'
import { FileCollection } from './FileCollection.tsx'
import { FilesSkeleton } from './FilesSkeleton.tsx'
import { FilterBar, wideQuery } from './FilterBar.tsx'
import { FirstRun } from './FirstRun.tsx'
import { isNarrowed } from './filter-files.ts'
import { useListSearch } from './list-search.ts'
import type { ListedFile } from './listed-file.ts'
import { RenameDialog } from './RenameDialog.tsx'
import { type SignedContent, SignLinkDialog } from './SignLinkDialog.tsx'
import { keepExisting, noSelection, type Selection } from './selection.ts'
import { useFileActions } from './use-file-actions.ts'
import { useFiles } from './use-files.ts'
import { useSelectAll } from './use-select-all.ts'
import { zipOfUploads } from './zip-of-uploads.ts'

const ZipDialog = lazyPart(async () => (await import('../zip/ZipDialog.tsx')).ZipDialog, 'toast')

/** All uploads as they are stored, newest first: search, sort, selection, actions. */
export function UploadsView({ places }: { places?: ReactNode }) {
  const search = useListSearch()
  const navigate = useNavigate()
  const isNarrow = useMedia('(width < 40rem)')
  const isWide = useMedia(wideQuery)
  const {
    files,
    totalFiles,
    error,
    refetch,
    isPending,
    isPlaceholderData,
    hasNextPage,
    isFetchingNextPage,
    fetchNextPage,
  } = useFiles(search)
  const [selection, setSelection] = useState<Selection>(noSelection)
  const [renaming, setRenaming] = useState<FileEntry>()
  const [signed, setSigned] = useState<SignedContent>()
  const [deleting, setDeleting] = useState<readonly FileEntry[]>([])
  const [zipped, setZipped] = useState<ReturnType<typeof zipOfUploads>>()
  const entryOf = (file: ListedFile) => files.find(({ id }) => id === file.id)
  const actions = useFileActions({
    onRename: (file) => setRenaming(entryOf(file)),
    onDelete: (file) => setDeleting([entryOf(file)].filter((entry) => entry !== undefined)),
    onSignLink: setSigned,
    onZip: (file) => setZipped(zipOfUploads([file])),
  })

  const order = useMemo(() => files.map(({ id }) => id), [files])
  useEffect(() => setSelection((before) => keepExisting(files, before)), [files])
  const selected = useMemo(() => files.filter(({ id }) => selection.ids.has(id)), [files, selection.ids])
  const isFiltered = isNarrowed(search)

  const { selectAll, isSelectingAll, stop } = useSelectAll({
    listKey: JSON.stringify(search),
    order,
    hasNextPage,
    fetchNextPage,
    onSelection: setSelection,
  })
  const open = (file: ListedFile) => void navigate({ to: '/files/$cid', params: { cid: file.cid }, search })

  if (error !== null && files.length === 0) {
    return (
      <>
        <PageHeader title={messages.pages.files} />
        <ErrorState error={error} onRetry={() => refetch()} />
      </>
    )
  }
  if (isPending) return <FilesSkeleton places={places} />
  if (totalFiles === 0 && !isFiltered) return <FirstRun />
  const filters = <FilterBar search={search} firstSort="createdAt" />
  return (
    <>
      <PageHeader isBrief title={messages.pages.files} hint={messages.files.count(totalFiles)}>
        {isWide ? filters : undefined}
      </PageHeader>
      {places}
      {isWide ? undefined : <div className="mb-2">{filters}</div>}
      <StaleBanner error={error} onRetry={refetch} />
      {files.length === 0 ? (
        <EmptyState icon={SearchX} title={messages.files.nothingFits} hint={messages.files.nothingFitsHint}>
          <Button
            onClick={() =>
              void navigate({ to: '/files', search: { ...search, q: undefined, type: undefined, access: undefined } })
            }
          >
            {messages.files.clearFilters}
          </Button>
        </EmptyState>
      ) : (
        <div className={isPlaceholderData ? 'opacity-60 transition-opacity' : ''}>
          <FileCollection
            files={files}
            totalFiles={totalFiles}
            search={search}
            firstSort="createdAt"
            isGrid={search.view === 'grid'}
            isNarrow={isNarrow}
            selection={selection}
            onSelection={(next) => {
              stop()
              setSelection(next)
            }}
            onSelectAll={() => void selectAll()}
            onOpen={open}
            onDelete={(chosen) => setDeleting(chosen.map(entryOf).filter((entry) => entry !== undefined))}
            actions={actions}
            isLoadingMore={isFetchingNextPage}
            onNearEnd={() => (hasNextPage && !isFetchingNextPage ? void fetchNextPage() : undefined)}
          />
        </div>
      )}
      {selected.length > 0 ? (
        <BulkBar
          files={selected}
          loading={isSelectingAll ? totalFiles : undefined}
          total={totalFiles}
          onSelectAll={() => void selectAll()}
          actions={[
            {
              id: 'download',
              label: messages.files.download,
              icon: Download,
              run: () => setZipped(zipOfUploads(selected)),
            },
            { id: 'copy', label: messages.files.copyCid, icon: Copy, run: () => void copyCids(selected) },
            {
              id: 'delete',
              label: messages.files.delete,
              icon: Trash2,
              isDanger: true,
              run: () => setDeleting(selected),
            },
          ]}
          onClear={() => {
            stop()
            setSelection(noSelection)
          }}
        />
      ) : undefined}
      {renaming === undefined ? undefined : <RenameDialog file={renaming} onClose={() => setRenaming(undefined)} />}
      {signed === undefined ? undefined : <SignLinkDialog content={signed} onClose={() => setSigned(undefined)} />}
      <Suspense>
        {zipped === undefined ? undefined : <ZipDialog {...zipped} onClose={() => setZipped(undefined)} />}
      </Suspense>
      <DeleteDialog
        files={deleting}
        onClose={() => setDeleting([])}
        onDone={() => {
          setDeleting([])
          setSelection(noSelection)
        }}
      />
    </>
  )
}
