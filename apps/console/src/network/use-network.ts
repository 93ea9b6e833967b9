import type { NetworkProfile } from '@cairn/sdk'
import { createContext, use } from 'react'

/** The profile of the network that serves this page, once it is loaded. */
export const NetworkContext = createContext<NetworkProfile | undefined>(undefined)

/** The profile of the network that serves this page. */
export function useNetwork(): NetworkProfile {
  const network = use(NetworkContext)
  if (network === undefined) throw new Error('useNetwork outside of NetworkProvider')
  return network
}
