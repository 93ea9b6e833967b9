import type { NetworkProfile } from '@cairn/sdk'
import { type CreateConnectorFn, injected } from 'wagmi'
import { isEip1193Provider } from './eip1193.ts'
import { createRemoteWallet } from './remote-wallet.ts'
import { walletConnectId } from './wallet-choice.ts'

/**
 * Wallets on other devices as one more wallet of the page, with the same interface for wagmi as any in the browser
 * (EIP-1193).
 */
export function createWalletConnect(
  network: NetworkProfile,
  settings: NonNullable<NetworkProfile['walletConnect']>,
): CreateConnectorFn {
  const wallet = createRemoteWallet(network, settings)
  const provider = isEip1193Provider(wallet) ? wallet : undefined
  if (provider === undefined) throw new Error('a remote wallet takes requests')
  return injected({ target: { id: walletConnectId, name: 'WalletConnect', provider } })
}
