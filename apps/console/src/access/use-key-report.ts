import { getKeyStatus } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNetwork } from '../network/NetworkProvider.tsx'
import { getSession, useSession } from '../session/session-store.ts'
import { clientOf } from '../session/use-client.ts'

/** What the five key nodes hold of a file. Asked at once where they know the user already; before that nobody is asked. */
export function useKeyReport(cid: string) {
  const network = useNetwork()
  const session = useSession()
  return useQuery({
    queryKey: ['key-report', cid],
    queryFn: ({ signal }) => getKeyStatus(clientOf(network, getSession()), cid, { signal }),
    enabled: session?.keySession !== undefined,
  })
}
