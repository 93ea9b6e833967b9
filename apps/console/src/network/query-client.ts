import { CairnError } from '@cairn/sdk'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'

/** Time in ms that results are fresh; the page refreshes its own changes immediately. */
const freshMs = 15_000

/** Options of a list that other people change: it is loaded again when the page is back in sight, and every 15 s while it is. */
export const changedByOthers = { refetchInterval: 15_000, refetchOnWindowFocus: 'always' } as const

const failureListeners = new Set<(error: unknown) => void>()

function notifyFailed(error: unknown): void {
  for (const listener of failureListeners) listener(error)
}

/** Calls back with each call that fails. @returns what ends it */
export function onCallFailed(listener: (error: unknown) => void): () => void {
  failureListeners.add(listener)
  return () => failureListeners.delete(listener)
}

/** One cache for all data of the services. The SDK retries itself; further retries would only wait longer. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: notifyFailed }),
  mutationCache: new MutationCache({ onError: notifyFailed }),
  defaultOptions: {
    queries: { staleTime: freshMs, retry: false, networkMode: 'always', throwOnError: false },
    mutations: { retry: false, networkMode: 'always' },
  },
})

/** Maps any error to a CairnError, so that it has a code, a cause and a next step. */
export function toCairnError(error: unknown): CairnError {
  return CairnError.from(error)
}
