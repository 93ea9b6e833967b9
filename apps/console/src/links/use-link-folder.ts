import { openEncryptedFolder } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useClient } from '../session/use-client.ts'

/** Opens the folder of a link. */
export function useLinkFolder(cid: string, masterKey: string, isEnabled = true) {
  const client = useClient()
  return useQuery({
    queryKey: ['link', 'folder', cid],
    queryFn: ({ signal }) => openEncryptedFolder(client, cid, { masterKey, signal }),
    enabled: isEnabled,
    staleTime: Number.POSITIVE_INFINITY,
  })
}
