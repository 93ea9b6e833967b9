import { type CairnError, getFileInfo } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { markControls } from '../messages/mark-controls.ts'
import { useClient } from '../session/use-client.ts'

/** File info of a CID. */
export type FileInfo = Awaited<ReturnType<typeof getFileInfo>>

/** Returns the public file info of a CID. */
export function useFileInfo(cid: string) {
  const client = useClient()
  return useQuery<FileInfo, CairnError | Error>({
    queryKey: ['file-info', cid],
    queryFn: ({ signal }) => getFileInfo(client, cid, { signal }),
    enabled: cid !== '',
  })
}

/** Returns the display name of a file: its CID if it has no name. */
export function nameOf({ fileName, cid }: Pick<FileInfo, 'fileName' | 'cid'>): string {
  return fileName === '' ? cid : markControls(fileName)
}
