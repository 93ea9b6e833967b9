import { type CairnError, getFileInfo } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useOwnFile } from '../drive-index/own-files.ts'
import { markControls } from '../messages/mark-controls.ts'
import { toCairnError } from '../network/query-client.ts'
import { useClient } from '../session/use-client.ts'

/** File info of a CID. */
export type FileInfo = Awaited<ReturnType<typeof getFileInfo>>

/**
 * Returns the public file info of a CID, a file of the account with the name that it has in its drive: it may have been renamed
 * there, which the service does not know.
 * @param isUpload whether the name is that of the upload, as the list of uploads shows it
 * @returns an `error` that may pass only if nothing is known: an open file stays while the service does not answer, which a line
 *   across the page reports
 */
export function useFileInfo(cid: string, { isUpload = false }: { isUpload?: boolean } = {}) {
  const client = useClient()
  const ownName = useOwnFile(cid)?.name
  const { data, error, refetch } = useQuery<FileInfo, CairnError | Error>({
    queryKey: ['file-info', cid],
    queryFn: ({ signal }) => getFileInfo(client, cid, { signal }),
    enabled: cid !== '',
  })
  const named = useMemo(
    () => (data === undefined || ownName === undefined || isUpload ? data : { ...data, fileName: ownName }),
    [data, ownName, isUpload],
  )
  return {
    data: named,
    error: data !== undefined && error !== null && toCairnError(error).retry ? null : error,
    refetch,
  }
}

/** Returns the display name of a file: its CID if it has no name. */
export function nameOf({ fileName, cid }: Pick<FileInfo, 'fileName' | 'cid'>): string {
  return fileName === '' ? cid : markControls(fileName)
}
