import type { FileEntry } from '@cairn/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { SearchX } from '#icons'
import { messages } from '../messages/messages.ts'
import { Banner } from '../ui/Banner.tsx'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { useMedia } from '../ui/use-media.ts'
import { BulkBar } from './BulkBar.tsx'
import { DeleteDialog } from './DeleteDialog.tsx'
import { FileCollection } from './FileCollection.tsx'
import { FilesSkeleton } from './FilesSkeleton.tsx'
import { FilterBar } from './FilterBar.tsx'
import { FirstRun } from './FirstRun.tsx'
import { isNarrowed } from './filter-files.ts'
import { RenameDialog } from './RenameDialog.tsx'
import { keepExisting, noSelection, type Selection } from './selection.ts'
import { useFileActions } from './use-file-actions.ts'
import { useFiles } from './use-files.ts'
import { useSelectAll } from './use-select-all.ts'

/** All uploads: search, sort, selection, actions. */
export function FilesView() {
  const search = useSearch({ from: '/files' })
  const navigate = useNavigate()
  const isNarrow = useMedia('(max-width: 639px)')
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
  const [deleting, setDeleting] = useState<readonly FileEntry[]>([])
  const actions = useFileActions({ onRename: setRenaming, onDelete: (file) => setDeleting([file]) })

  const order = useMemo(() => files.map(({ id }) => id), [files])
  useEffect(() => setSelection((before) => keepExisting(order, before)), [order])
  const selected = useMemo(() => files.filter(({ id }) => selection.ids.has(id)), [files, selection.ids])
  const isFiltered = isNarrowed(search)

  const { selectAll, isSelectingAll, stop } = useSelectAll({
    listKey: JSON.stringify(search),
    order,
    hasNextPage,
    fetchNextPage,
    onSelection: setSelection,
  })
  const open = (file: FileEntry) => void navigate({ to: '/files/$cid', params: { cid: file.cid }, search })

  if (error !== null && files.length === 0) {
    return (
      <>
        <PageHeader title={messages.pages.files} />
        <ErrorState error={error} onRetry={() => refetch()} />
      </>
    )
  }
  if (isPending) return <FilesSkeleton />
  if (totalFiles === 0 && !isFiltered) return <FirstRun />
  return (
    <>
      <PageHeader title={messages.pages.files} hint={messages.files.count(totalFiles)}>
        <FilterBar search={search} />
      </PageHeader>
      {error === null ? undefined : (
        <Banner
          tone="warn"
          action={
            <Button size="small" onClick={() => void refetch()}>
              {messages.shell.retry}
            </Button>
          }
        >
          {messages.shell.errorOld}
        </Banner>
      )}
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
            isGrid={search.view === 'grid'}
            isNarrow={isNarrow}
            selection={selection}
            onSelection={(next) => {
              stop()
              setSelection(next)
            }}
            onSelectAll={() => void selectAll()}
            onOpen={open}
            onDelete={() => setDeleting(selected)}
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
          onClear={() => {
            stop()
            setSelection(noSelection)
          }}
          onDelete={() => setDeleting(selected)}
        />
      ) : undefined}
      {renaming === undefined ? undefined : <RenameDialog file={renaming} onClose={() => setRenaming(undefined)} />}
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
