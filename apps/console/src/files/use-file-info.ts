import { type CairnError, getFileInfo } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useClient } from '../session/use-client.ts'
import { markControls } from '../words/mark-controls.ts'

/** What the service knows of a CID. */
export type FileInfo = Awaited<ReturnType<typeof getFileInfo>>

/** What is known of a CID, for anybody. */
export function useFileInfo(cid: string) {
  const client = useClient()
  return useQuery<FileInfo, CairnError | Error>({
    queryKey: ['file-info', cid],
    queryFn: ({ signal }) => getFileInfo(client, cid, { signal }),
    enabled: cid !== '',
  })
}

/** What a file is called, as it is shown: its CID where it has no name. */
export function nameOf({ fileName, cid }: Pick<FileInfo, 'fileName' | 'cid'>): string {
  return fileName === '' ? cid : markControls(fileName)
}
