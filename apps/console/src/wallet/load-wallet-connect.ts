import type { NetworkProfile } from '@cairn/sdk'
import type { CreateConnectorFn } from 'wagmi'

let loading: Promise<readonly CreateConnectorFn[]> | undefined
const none = Promise.resolve([])

/** The connector of wallets on other devices, where the operator has a project for it; otherwise not a byte of it is loaded. */
export function loadWalletConnect(network: NetworkProfile): Promise<readonly CreateConnectorFn[]> {
  const { walletConnect } = network
  if (walletConnect === undefined) return none
  loading ??= import('./wallet-connect.ts').then(
    ({ createWalletConnect }) => [createWalletConnect(network, walletConnect)],
    // The wallets of the browser work without it.
    () => [],
  )
  return loading
}
