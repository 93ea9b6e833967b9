import type { NetworkProfile } from '@cairn/sdk'
import type { CreateConnectorFn } from 'wagmi'

let loading: Promise<readonly CreateConnectorFn[]> | undefined

/** The connector of wallets on other devices; undefined without a project of the operator's: not a byte of it is loaded then. */
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
