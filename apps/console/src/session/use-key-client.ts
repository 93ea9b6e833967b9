import type { Client } from '@cairn/sdk'
import { useCallback } from 'react'
import { useNetwork } from '../network/NetworkProvider.tsx'
import { needKeySession } from './key-session-request.ts'
import { changeSession, getSession } from './session-store.ts'
import { clientOf } from './use-client.ts'

/**
 * Gives a function that answers a client good for key nodes, asking the wallet for one more signature where that has to be.
 * Call it in what a press or a key starts, never on load: no page opens a wallet by itself.
 */
export function useKeyClient(): () => Promise<Client> {
  const network = useNetwork()
  return useCallback(async () => {
    const keySession = await needKeySession()
    if (getSession()?.keySession !== keySession) changeSession({ keySession })
    return clientOf(network, getSession())
  }, [network])
}
