import type { NetworkProfile } from '@cairn/sdk'
import type { CreateConnectorFn } from 'wagmi'

let loading: Promise<readonly CreateConnectorFn[]> | undefined

/** Loads the connector of wallets on other devices; loads nothing if the operator has no project. */
export function loadWalletConnect(network: NetworkProfile): Promise<readonly CreateConnectorFn[]> | undefined {
  const { walletConnect } = network
  if (walletConnect === undefined) return undefined
  loading ??= import('./wallet-connect.ts').then(
    ({ createWalletConnect }) => [createWalletConnect(network, walletConnect)],
    // The wallets of the browser work without it.
    () => [],
  )
  return loading
}
