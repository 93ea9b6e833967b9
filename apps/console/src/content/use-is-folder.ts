import { type Client, isFolder } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { queryClient } from '../network/query-client.ts'
import { useClient } from '../session/use-client.ts'
import { mayBeFolder } from './folder-type.ts'

const queryOf = (client: Client, cidPath: string) => ({
  queryKey: ['is-folder', cidPath],
  queryFn: ({ signal }: { signal: AbortSignal }) => isFolder(client, cidPath, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Whether a CID is a folder. If the listing does not show it, queries the gateway and verifies the answer. */
export function useIsFolder(content: Parameters<typeof mayBeFolder>[0]) {
  const client = useClient()
  const isOpen = mayBeFolder(content)
  const { data, ...query } = useQuery({ ...queryOf(client, content.cid), enabled: isOpen })
  return { ...query, isFolder: isOpen ? data : false }
}

/**
 * Whether a CID is a folder; false if that is unknown.
 * @param cidPath where it is read, if not by its CID
 */
export async function findIsFolder(
  client: Client,
  content: Parameters<typeof mayBeFolder>[0],
  cidPath = content.cid,
): Promise<boolean> {
  return mayBeFolder(content) && queryClient.fetchQuery(queryOf(client, cidPath)).catch(() => false)
}

/** Whether a CID is already known to be a folder, because its row has queried it. */
export function isKnownFolder(cid: string): boolean {
  return queryClient.getQueryData(['is-folder', cid]) === true
}
