import { type FileLink, listLinks, revokeLink } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { changedByOthers, queryClient } from '../network/query-client.ts'
import { useSession } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'

export const linksKey = ['links'] as const
export { revokeLink as revokeFileLink }

/** Returns the links that the account made, newest first: of a file, or of all. */
export function useLinks(cid?: string) {
  const client = useClient()
  const address = useSession()?.address
  return useQuery({
    queryKey: [...linksKey, address],
    queryFn: ({ signal }) => listLinks(client, { signal }),
    select: (all: FileLink[]) => (cid === undefined ? all : all.filter((link) => link.cid === cid)),
    enabled: address !== undefined,
    ...changedByOthers,
  })
}

/** Loads the links of all files again, after a change. */
export function refreshLinks(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: linksKey })
}
