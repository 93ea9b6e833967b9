import { type Client, createClient, type NetworkProfile } from '@cairn/sdk'
import { useMemo } from 'react'
import { useNetwork } from '../network/NetworkProvider.tsx'
import { changeSession, getSession, type Session, useSession } from './session-store.ts'

/** The SDK's client of whoever is signed in; of nobody otherwise, which is enough for what is public. */
export function useClient(): Client {
  const network = useNetwork()
  const session = useSession()
  return useMemo(() => clientOf(network, session), [network, session])
}

/** The same outside of components. */
export function clientOf(network: NetworkProfile, session: Session | undefined): Client {
  if (session === undefined) return createClient({ network })
  const { apiKey, keySession } = session
  return createClient({
    network,
    apiKey,
    ...(keySession === undefined ? {} : { keySession }),
    // A renewal that ends late is no business of who signed in since.
    onKeySession: (renewed) => {
      if (getSession()?.keySession === renewed) changeSession({ keySession: renewed })
    },
  })
}
