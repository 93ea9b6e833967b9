import { getConditions } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNetwork } from '../network/NetworkProvider.tsx'
import { getSession } from '../session/session-store.ts'
import { clientOf } from '../session/use-client.ts'

/** The conditions that are saved for a file. Anybody may know them. */
export function useConditions(cid: string) {
  const network = useNetwork()
  return useQuery({
    queryKey: ['conditions', cid],
    queryFn: ({ signal }) => getConditions(clientOf(network, getSession()), cid, { signal }),
  })
}
