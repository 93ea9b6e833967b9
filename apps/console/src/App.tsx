import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type ReactNode, Suspense, use, useMemo } from 'react'
import { WagmiProvider } from 'wagmi'
import { NetworkProvider, useNetwork } from './network/NetworkProvider.tsx'
import { queryClient } from './network/query-client.ts'
import { router } from './router.tsx'
import { loadWalletConnect } from './wallet/load-wallet-connect.ts'
import { createWalletConfig } from './wallet/wallet-config.ts'

/** Everything that pages stand on: data, network, wallet, routes. */
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

function WalletProvider({ children }: { children: ReactNode }) {
  const network = useNetwork()
  const more = use(loadWalletConnect(network))
  const config = useMemo(() => createWalletConfig(network, more), [network, more])
  return <WagmiProvider config={config}>{children}</WagmiProvider>
}
