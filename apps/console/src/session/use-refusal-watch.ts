import { getUsage, type NetworkProfile } from '@cairn/sdk'
import { useEffect } from 'react'
import { onCallFailed, queryClient } from '../network/query-client.ts'
import { endRefusedSession, getSession, isRefusedKey } from './session-store.ts'
import { clientOf } from './use-client.ts'

/**
 * Ends the session once a call shows that the service no longer accepts its API key. Calls that started before the session was
 * extended used an earlier key, so the current one is checked first.
 */
export function useRefusalWatch(network: NetworkProfile): void {
  useEffect(() => {
    let isAsking = false
    const ask = async () => {
      const session = getSession()
      if (isAsking || session === undefined) return
      isAsking = true
      try {
        await getUsage(clientOf(network, session))
      } catch (error) {
        if (getSession()?.apiKey === session.apiKey) endRefusedSession(error)
      } finally {
        isAsking = false
      }
    }
    const askAbout = (error: unknown) => {
      if (isRefusedKey(error)) void ask()
    }
    // A query may have failed before this code was loaded.
    for (const { state } of queryClient.getQueryCache().getAll()) askAbout(state.error)
    return onCallFailed(askAbout)
  }, [network])
}
