import { getUsage } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'

/** Returns storage limit and usage of the account. */
export function useUsage() {
  const client = useClient()
  const session = useSession()
  return useQuery({
    queryKey: ['usage', session?.address],
    queryFn: ({ signal }) => getUsage(client, { signal }),
    enabled: session !== undefined,
  })
}
