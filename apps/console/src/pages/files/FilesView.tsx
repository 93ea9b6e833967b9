import type { FileEntry } from '@cairn/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { FilesIcon, SearchX, Upload } from '#icons'
import { isNarrowed } from '../../files/files-search.ts'
import { keepExisting, noSelection, type Selection } from '../../files/selection.ts'
import { useFiles } from '../../files/use-files.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { useMedia } from '../../ui/use-media.ts'
import { openUploadSheet } from '../../upload/upload-sheet-store.ts'
import { words } from '../../words/words.ts'
import { BulkBar } from './BulkBar.tsx'
import { DeleteDialog } from './DeleteDialog.tsx'
import { FileCollection } from './FileCollection.tsx'
import { FilesSkeleton } from './FilesSkeleton.tsx'
import { FilterBar } from './FilterBar.tsx'
import { RenameDialog } from './RenameDialog.tsx'
import { useFileActions } from './use-file-actions.ts'

/** All uploads: found, sorted, selected, acted on. */
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

  const selectAll = async () => {
    let all = order
    for (let more = hasNextPage; more; ) {
      const { data, hasNextPage: next } = await fetchNextPage()
      all = data?.pages.flatMap(({ fileList }) => fileList.map(({ id }) => id)) ?? all
      more = next
    }
    setSelection((before) => ({ ...before, ids: new Set(all) }))
  }
  const open = (file: FileEntry) => void navigate({ to: '/files/$cid', params: { cid: file.cid }, search })

  if (error !== null && files.length === 0) {
    return (
      <>
        <PageHeader title={words.files.title} />
        <ErrorState error={error} onRetry={() => refetch()} />
      </>
    )
  }
  if (isPending) return <FilesSkeleton />
  if (totalFiles === 0 && !isFiltered) return <FirstRun />
  return (
    <>
      <PageHeader title={words.files.title} hint={words.files.count(totalFiles)}>
        <FilterBar search={search} />
      </PageHeader>
      {error === null ? undefined : (
        <Banner
          tone="warn"
          action={
            <Button size="small" onClick={() => void refetch()}>
              {words.shell.retry}
            </Button>
          }
        >
          {words.shell.errorOld}
        </Banner>
      )}
      {files.length === 0 ? (
        <EmptyState icon={SearchX} title={words.files.nothingFits} hint={words.files.nothingFitsHint}>
          <Button
            onClick={() =>
              void navigate({ to: '/files', search: { ...search, q: undefined, type: undefined, access: undefined } })
            }
          >
            {words.files.clearFilters}
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
            onSelection={setSelection}
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
        <BulkBar files={selected} onClear={() => setSelection(noSelection)} onDelete={() => setDeleting(selected)} />
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

/** Nobody has to own a file to see how this works. */
function FirstRun() {
  const trySample = () =>
    openUploadSheet([
      {
        path: words.files.sampleName,
        file: new File([words.files.sampleText], words.files.sampleName, { type: 'text/plain' }),
      },
    ])
  return (
    <>
      <PageHeader title={words.files.title} />
      <EmptyState icon={FilesIcon} title={words.files.emptyTitle} hint={words.files.emptyHint}>
        <Button kind="primary" onClick={() => openUploadSheet()}>
          <Upload aria-hidden="true" size={16} />
          {words.shell.upload}
        </Button>
        <Button onClick={trySample}>{words.files.emptySample}</Button>
      </EmptyState>
    </>
  )
}
