import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { useNetwork } from '../network/use-network.ts'
import { checkPart, type PartState } from './check-part.ts'
import type { Parts } from './health.ts'
import { listParts } from './list-parts.ts'

const againMs = 15_000

/** The last error of a service while this page was open. */
export type PastFailure = { text: string; at: number }

/** Returns every service of the network, probed concurrently every 15 seconds, with the last error of each. */
export function useParts() {
  const network = useNetwork()
  const failures = useRef(new Map<string, PastFailure>())
  const query = useQuery({
    queryKey: ['status', 'parts'],
    queryFn: async ({ signal }): Promise<Parts> => {
      const { storage, gateway, chains, keyNodes, providers } = listParts(network)
      const checkAll = (all: typeof chains) => Promise.all(all.map((one) => checkPart(one, signal)))
      const [storageState, gatewayState, chainStates, nodeStates, providerStates] = await Promise.all([
        checkPart(storage, signal),
        checkPart(gateway, signal),
        checkAll(chains),
        checkAll(keyNodes),
        checkAll(providers),
      ])
      const all = [storageState, gatewayState, ...chainStates, ...nodeStates, ...providerStates]
      for (const part of all) noteFailure(failures.current, part)
      return {
        storage: storageState,
        gateway: gatewayState,
        chains: chainStates,
        keyNodes: nodeStates,
        providers: providerStates,
      }
    },
    refetchInterval: againMs,
    staleTime: 0,
  })
  return { ...query, lastFailures: failures.current }
}

function noteFailure(failures: Map<string, PastFailure>, { id, failure }: PartState): void {
  if (failure !== undefined) failures.set(id, { text: failure, at: Date.now() })
}
