import { type Client, createClient, type NetworkProfile } from '@cairn/sdk'
import { useMemo } from 'react'
import { useNetwork } from '../network/use-network.ts'
import { changeSession, getSession, type Session, useSession } from './session-store.ts'

/** Returns the SDK client of the signed-in user; without one, a client for public content. */
export function useClient(): Client {
  const network = useNetwork()
  const session = useSession()
  return useMemo(() => clientOf(network, session), [network, session])
}

/** As {@link useClient}, outside of components. */
export function clientOf(network: NetworkProfile, session: Session | undefined): Client {
  if (session === undefined) return createClient({ network })
  const { apiKey, keySession } = session
  return createClient({
    network,
    apiKey,
    ...(keySession === undefined ? {} : { keySession }),
    // A late renewal must not affect a user who signed in since.
    onKeySession: (renewed) => {
      if (getSession()?.keySession === renewed) changeSession({ keySession: renewed })
    },
  })
}
