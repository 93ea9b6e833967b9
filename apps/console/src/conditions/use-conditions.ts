import { getConditions } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNetwork } from '../network/use-network.ts'
import { getSession } from '../session/session-store.ts'
import { clientOf } from '../session/use-client.ts'

/** Returns the saved conditions of a file. They are public. */
export function useConditions(cid: string) {
  const network = useNetwork()
  return useQuery({
    queryKey: ['conditions', cid],
    queryFn: ({ signal }) => getConditions(clientOf(network, getSession()), cid, { signal }),
  })
}
