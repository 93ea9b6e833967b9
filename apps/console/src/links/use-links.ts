import { type FileLink, listLinks, revokeLink } from '@cairn/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { messages } from '../messages/messages.ts'
import { queryClient } from '../network/query-client.ts'
import { useSession } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { toastDone, toastError } from '../ui/toast-store.ts'

/** Returns the links of a file that the account made, newest first. */
export function useLinks(cid: string) {
  const client = useClient()
  const address = useSession()?.address
  return useQuery({
    queryKey: ['links', address],
    queryFn: ({ signal }) => listLinks(client, { signal }),
    select: (all: FileLink[]) => all.filter((link) => link.cid === cid),
    enabled: address !== undefined,
  })
}

/** Loads the links of all files again, after a change. */
export function refreshLinks(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['links'] })
}

/** Revokes a link. */
export function useRevokeLink(onRevoked: () => void) {
  const client = useClient()
  return useMutation({
    mutationFn: (id: string) => revokeLink(client, id),
    onSuccess: () => {
      toastDone(messages.links.revokeDone)
      onRevoked()
    },
    onError: (error) => toastError(messages.links.revokeFailed, error),
    onSettled: refreshLinks,
  })
}
