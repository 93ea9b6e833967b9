import type { NetworkProfile } from '@cairn/sdk'
import type { CreateConnectorFn } from 'wagmi'

let loading: Promise<readonly CreateConnectorFn[]> | undefined

/** Loads the connectors that the operator enabled: wallets on other devices, and passkeys. Loads nothing if there are none. */
export function loadConnectors(network: NetworkProfile): Promise<readonly CreateConnectorFn[]> | undefined {
  const { passkeys, walletConnect } = network
  const wanted = [
    passkeys === undefined
      ? undefined
      : () => import('./passkey.ts').then(({ createPasskeyConnector }) => createPasskeyConnector(network, passkeys)),
    walletConnect === undefined
      ? undefined
      : () =>
          import('./wallet-connect.ts').then(({ createWalletConnect }) => createWalletConnect(network, walletConnect)),
  ].filter((load) => load !== undefined)
  if (wanted.length === 0) return undefined
  // The wallets of the browser work without them.
  loading ??= Promise.all(wanted.map((load) => load().catch(() => undefined))).then((connectors) =>
    connectors.filter((connector) => connector !== undefined),
  )
  return loading
}
