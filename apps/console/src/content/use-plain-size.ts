import { getDecryptedSize } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { formatBytes } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { useClient } from '../session/use-client.ts'
import { useFolderSize } from './use-folder-size.ts'

/**
 * Returns the size of content as people know it: for encrypted content its decrypted size, or else the size of the encrypted
 * bytes, marked as such. Undefined until it is known.
 * @param content `isFolder` undefined until it is known
 */
export function usePlainSize({
  cid,
  sizeBytes,
  isEncrypted,
  isFolder,
}: {
  cid: string
  sizeBytes: number | undefined
  isEncrypted: boolean
  isFolder: boolean | undefined
}): string | undefined {
  const client = useClient()
  const isAsked = isEncrypted && isFolder === false && cid !== ''
  const { data, isError } = useQuery({
    queryKey: ['plain-size', cid],
    queryFn: ({ signal }) => getDecryptedSize(client, cid, { signal }),
    enabled: isAsked,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  const folderBytes = useFolderSize(cid, isEncrypted && isFolder === true && cid !== '')
  if (sizeBytes === undefined || isFolder === undefined) return undefined
  if (!isEncrypted) return formatBytes(sizeBytes)
  if (isFolder && typeof folderBytes === 'number') return formatBytes(folderBytes)
  if (isFolder ? folderBytes === null : isError) return messages.files.encryptedSize(sizeBytes)
  return data === undefined ? undefined : formatBytes(data)
}
