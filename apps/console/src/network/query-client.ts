import { CairnError } from '@cairn/sdk'
import { QueryClient } from '@tanstack/react-query'

/** Answers are fresh for this long; what the page itself changes, it refreshes at once. */
const freshMs = 15_000

/** One cache for all data of the services. The SDK tries again by itself; tries on top of its own would only wait longer. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: freshMs, retry: false, networkMode: 'always', throwOnError: false },
    mutations: { retry: false, networkMode: 'always' },
  },
})

/** Any fault as one of ours, so that it has a code, a cause and a next step. */
export function toCairnError(error: unknown): CairnError {
  return CairnError.from(error)
}
