import { type FileEntry, listFilesPage } from '@cairn/sdk'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useSession } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import type { FilesSearch } from './files-search.ts'
import { toFilter } from './filter-files.ts'

/** Rows per page: more than a screenful, so that scrolling rarely fetches. */
const pageRows = 200

/** Returns the files of the account for the search, page by page. The current rows stay while another filter loads. */
export function useFiles(search: FilesSearch, isEnabled = true) {
  const client = useClient()
  const session = useSession()
  const filter = toFilter(search)
  const query = useInfiniteQuery({
    queryKey: ['files', session?.address, filter],
    queryFn: ({ pageParam, signal }) =>
      listFilesPage(
        client,
        { ...filter, limit: pageRows, ...(pageParam === '' ? {} : { lastKey: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ fileList }) => (fileList.length < pageRows ? undefined : fileList.at(-1)?.id),
    placeholderData: keepPreviousData,
    enabled: isEnabled && session !== undefined,
  })
  const { data } = query
  const files = useMemo((): readonly FileEntry[] => data?.pages.flatMap(({ fileList }) => fileList) ?? [], [data])
  return { ...query, files, totalFiles: data?.pages[0]?.totalFiles ?? 0 }
}
