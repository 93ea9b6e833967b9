import { loadNetwork, type NetworkProfile } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, use } from 'react'
import { ErrorState } from '../ui/ErrorState.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { words } from '../words/words.ts'

const NetworkContext = createContext<NetworkProfile | undefined>(undefined)

/** Loads the network's profile, from which everything else knows its addresses. */
export function NetworkProvider({ children }: { children: ReactNode }) {
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['network'],
    queryFn: () => loadNetwork(location.origin),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (data !== undefined) return <NetworkContext value={data}>{children}</NetworkContext>
  return (
    <main className="grid min-h-dvh place-items-center p-6">
      {error === null || isFetching ? (
        <Spinner label={words.shell.loading} />
      ) : (
        <ErrorState
          isPage
          title={words.shell.noNetworkTitle}
          hint={words.shell.noNetworkHint}
          error={error}
          onRetry={() => refetch()}
        />
      )}
    </main>
  )
}

/** The profile of the network that serves this page. */
export function useNetwork(): NetworkProfile {
  const network = use(NetworkContext)
  if (network === undefined) throw new Error('useNetwork outside of NetworkProvider')
  return network
}
