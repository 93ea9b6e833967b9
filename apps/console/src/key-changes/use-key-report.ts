import { getKeyStatus } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNetwork } from '../network/use-network.ts'
import { getSession, useSession } from '../session/session-store.ts'
import { clientOf } from '../session/use-client.ts'

/** Returns the state of a file on the five key nodes. Queries them only if a key session exists. */
export function useKeyReport(cid: string) {
  const network = useNetwork()
  const session = useSession()
  return useQuery({
    queryKey: ['key-report', cid],
    queryFn: ({ signal }) => getKeyStatus(clientOf(network, getSession()), cid, { signal }),
    enabled: session?.keySession !== undefined,
  })
}
