import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type ReactNode, Suspense, use, useMemo } from 'react'
import { type CreateConnectorFn, WagmiProvider } from 'wagmi'
import { NetworkProvider } from './NetworkProvider.tsx'
import { queryClient } from './network/query-client.ts'
import { useNetwork } from './network/use-network.ts'
import { router } from './router.tsx'
import { loadConnectors } from './wallet/load-connectors.ts'
import { createWalletConfig } from './wallet/wallet-config.ts'

/** The providers of all pages: data, network, wallet, routes. */
export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <NetworkProvider>
        <Suspense>
          <WalletProvider>
            <RouterProvider router={router} />
          </WalletProvider>
        </Suspense>
      </NetworkProvider>
    </QueryClientProvider>
  )
}

const noConnectors: readonly CreateConnectorFn[] = []

function WalletProvider({ children }: { children: ReactNode }) {
  const network = useNetwork()
  const loading = loadConnectors(network)
  // React reveals suspended content 300 ms later, so this avoids an unnecessary wait.
  const more = loading === undefined ? noConnectors : use(loading)
  const config = useMemo(() => createWalletConfig(network, more), [network, more])
  return <WagmiProvider config={config}>{children}</WagmiProvider>
}
