import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { WagmiProvider } from 'wagmi'
import { NetworkProvider, useNetwork } from './network/NetworkProvider.tsx'
import { queryClient } from './network/query-client.ts'
import { router } from './router.tsx'
import { createWalletConfig } from './wallet/wallet-config.ts'

/** Everything that pages stand on: data, network, wallet, routes. */
export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <NetworkProvider>
        <WalletProvider>
          <RouterProvider router={router} />
        </WalletProvider>
      </NetworkProvider>
    </QueryClientProvider>
  )
}

function WalletProvider({ children }: { children: ReactNode }) {
  const network = useNetwork()
  const config = useMemo(() => createWalletConfig(network), [network])
  return <WagmiProvider config={config}>{children}</WagmiProvider>
}
