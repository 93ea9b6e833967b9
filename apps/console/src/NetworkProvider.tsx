import { loadNetwork } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { messages } from './messages/messages.ts'
import { NetworkContext } from './network/use-network.ts'
import { UncopiedText } from './shell/UncopiedText.tsx'
import { ErrorState } from './ui/states/ErrorState.tsx'
import { Spinner } from './ui/states/Spinner.tsx'

/** Loads the network profile, which contains all addresses. */
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
        <Spinner label={messages.shell.loading} />
      ) : (
        <>
          <ErrorState
            isPage
            title={messages.shell.noNetworkTitle}
            hint={messages.shell.noNetworkHint}
            error={error}
            onRetry={() => refetch()}
          />
          {/* The frame of the pages, which shows it elsewhere, needs the network. */}
          <UncopiedText />
        </>
      )}
    </main>
  )
}
