import { CairnError, getHealth, type NetworkProfile } from '@cairn/protocol'
import { call, createClient } from '@cairn/sdk'
import { useEffect } from 'react'
import { onCallFailed, queryClient } from './query-client.ts'
import { isServiceOffline, setServiceOffline, useServiceOffline } from './service-offline.ts'

/** Delay between two health checks during an outage, in ms. */
const retryMs = 5_000

/**
 * When a call gets no response, checks whether the storage service is offline. Retries until it responds, then refetches all
 * queries of the page. Use it only in the component that shows the outage.
 */
export function useOutageWatch(network: NetworkProfile): boolean {
  useEffect(() => {
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let isAsking = false
    const ask = async () => {
      if (isAsking) return
      isAsking = true
      const answers = await doesAnswer(network, stop.signal)
      isAsking = false
      if (stop.signal.aborted) return
      if (answers && isServiceOffline())
        void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey.length > 1 })
      setServiceOffline(!answers)
      clearTimeout(timer)
      if (!answers) timer = setTimeout(ask, retryMs)
    }
    const unwatch = onCallFailed((error) => {
      if (!isServiceOffline() && isUnanswered(error)) void ask()
    })
    // A query may have failed before this component was loaded.
    if (
      queryClient
        .getQueryCache()
        .getAll()
        .some(({ state }) => isUnanswered(state.error))
    )
      void ask()
    return () => {
      stop.abort()
      unwatch()
      clearTimeout(timer)
    }
  }, [network])
  return useServiceOffline()
}

function isUnanswered(error: unknown): boolean {
  return CairnError.is(error, 'NETWORK_ERROR') || CairnError.is(error, 'TIMEOUT')
}

async function doesAnswer(network: NetworkProfile, signal: AbortSignal): Promise<boolean> {
  try {
    await call(createClient({ network }), getHealth, {}, { signal })
    return true
  } catch (error) {
    // Any other error is still a response.
    return !isUnanswered(error)
  }
}
