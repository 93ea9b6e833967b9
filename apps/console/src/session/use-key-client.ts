import type { Client } from '@cairn/sdk'
import { useCallback } from 'react'
import { useNetwork } from '../network/use-network.ts'
import { ensureKeySession } from './ensure-key-session.ts'
import { getSession } from './session-store.ts'
import { clientOf } from './use-client.ts'

/**
 * Returns a function that resolves to a client with a key session, after one more wallet signature if required. Call it
 * from a user action, never on load: no page opens a wallet by itself.
 */
export function useKeyClient(): () => Promise<Client> {
  const network = useNetwork()
  return useCallback(async () => {
    await ensureKeySession()
    return clientOf(network, getSession())
  }, [network])
}
