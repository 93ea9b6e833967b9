import { type FileEntry, type FileFilter, listFilesPage } from '@cairn/sdk'
import { useCallback, useState } from 'react'
import { useAction } from './use-action.ts'
import { type Loaded, useLoaded } from './use-loaded.ts'

/** What {@link useFiles} returns. */
export type UseFiles = Omit<Loaded<never>, 'data'> & {
  /** The rows of all loaded pages. */
  files: readonly FileEntry[]
  /** Number of rows that match, on all pages; undefined until it is known. With a filter, up to ten seconds old. */
  totalFiles: number | undefined
  hasMore: boolean
  /** Loads the next page. Has no effect while one is loading, or after the last. */
  loadMore: () => Promise<void>
  isLoadingMore: boolean
}

type Page = { fileList: FileEntry[]; totalFiles: number }

/**
 * Lists the uploads of the account in pages, newest first. After an upload, it starts again with the first page.
 * @param filter search, type, order, and rows per page (`limit`, 1 to 2,000, default 50)
 */
export function useFiles(filter: FileFilter = {}): UseFiles {
  const { search, fileType, sort, order, limit = 50 } = filter
  const query: FileFilter = {
    limit,
    ...(search === undefined ? {} : { search }),
    ...(fileType === undefined ? {} : { fileType }),
    ...(sort === undefined ? {} : { sort }),
    ...(order === undefined ? {} : { order }),
  }
  const { data: first, ...loaded } = useLoaded<Page>(JSON.stringify(query), 'files', (client, signal) =>
    listFilesPage(client, query, { signal }),
  )
  // Further pages belong to their first one: a new listing drops them.
  const [further, setFurther] = useState<{ first: Page; pages: Page[] }>()
  const pages = first === undefined ? [] : [first, ...(further?.first === first ? further.pages : [])]
  const lastPage = pages.at(-1)
  const hasMore = lastPage !== undefined && lastPage.fileList.length === limit
  const lastKey = hasMore ? lastPage.fileList.at(-1)?.id : undefined
  const { run, status, error } = useAction(
    ({ client, signal }, key: string) => listFilesPage(client, { ...query, lastKey: key }, { signal }),
    { whileRunning: 'ignore', subject: first },
  )
  const loadMore = useCallback(async () => {
    if (lastKey === undefined || first === undefined) return
    const page = await run(lastKey)
    if (page === undefined) return
    setFurther((last) => ({ first, pages: [...(last?.first === first ? last.pages : []), page] }))
  }, [first, lastKey, run])
  return {
    ...loaded,
    error: loaded.error ?? error,
    files: pages.flatMap(({ fileList }) => fileList),
    totalFiles: first?.totalFiles,
    hasMore,
    loadMore,
    isLoadingMore: status === 'running',
  }
}
