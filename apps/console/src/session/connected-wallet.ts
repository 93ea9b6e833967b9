import { CairnError, isEvmAddress } from '@cairn/protocol'
import { useSyncExternalStore } from 'react'
import { type Config, useConfig } from 'wagmi'
import { disconnect, getConnection, watchConnection } from 'wagmi/actions'
import { messages } from '../messages/messages.ts'
import { loadCode } from '../parts/load-code.ts'
import { toastError } from '../ui/toasts/toast-store.ts'
import { getRecentWallet, type WalletFamily, watchRecentWallet } from '../wallet/recent-wallet.ts'
import { dropSolana, getSolanaState, watchSolana } from '../wallet/solana-state.ts'
import { getSession, watchSession } from './session-store.ts'

// The Solana code loads when such a wallet is chosen or connected.
const loadSolana = () => import('../wallet/solana-connection.ts')

/** A connected wallet: its account, and how it signs. */
export type ConnectedWallet = {
  family: WalletFamily
  /** In the notation of the wallet. */
  address: string
  name: string
  /** A data URL, if the wallet has one. */
  icon: string | undefined
  /**
   * Signs a readable message: EIP-191 for EVM accounts, ed25519 over the exact UTF-8 for Solana.
   * @throws the errors of the wallet, see readWalletFailure
   */
  sign(message: string): Promise<string>
}

/**
 * Returns the connected wallet that signs: of the kind of the session or, without one, of the last chosen kind. One of
 * the other kind may also be connected, for payments only.
 */
export function getConnectedWallet(config: Config): ConnectedWallet | undefined {
  return signingFamily() === 'solana' ? solanaWallet() : evmWallet(config)
}

/**
 * Returns the wallet that signs for an account.
 * @throws CairnError NO_WALLET if it is not connected, or shows another account
 */
export function requireWallet(config: Config, address: string): ConnectedWallet {
  const wallet = getConnectedWallet(config)
  if (wallet?.address === address) return wallet
  throw new CairnError('NO_WALLET', { hint: messages.session.walletMissing })
}

function signingFamily(): WalletFamily | undefined {
  const session = getSession()
  if (session === undefined) return getRecentWallet()?.family
  return isEvmAddress(session.address) ? 'evm' : 'solana'
}

function evmWallet(config: Config): ConnectedWallet | undefined {
  const { address, connector } = getConnection(config)
  if (address === undefined || connector === undefined) return undefined
  return {
    family: 'evm',
    address,
    name: connector.name,
    icon: connector.icon,
    sign: async (message) => {
      const { signWithEvm } = await loadCode(import('../wallet/sign-with-evm.ts'))
      return signWithEvm(config, { account: address, connector }, message)
    },
  }
}

function solanaWallet(): ConnectedWallet | undefined {
  const state = getSolanaState()
  if (state.status !== 'connected') return undefined
  const { wallet, account } = state
  return {
    family: 'solana',
    address: account.address,
    name: wallet.name,
    icon: wallet.icon,
    sign: async (message) => (await loadSolana()).signWithSolana(state, message),
  }
}

/** Connection status of the wallet that signs. */
export type WalletStatus = 'connected' | 'connecting' | 'reconnecting' | 'disconnected'

function getWalletStatus(config: Config): WalletStatus {
  return signingFamily() === 'solana' ? getSolanaState().status : getConnection(config).status
}

/** Reconnects the Solana wallet of an earlier page, if any. Opens no window. */
export async function reconnectSolanaWallet(): Promise<void> {
  if (getSolanaState().status === 'reconnecting') await (await loadSolana()).reconnectSolana()
}

/** Disconnects every wallet on this page. A failure is reported, and does not stop the others. */
export async function disconnectWallets(config: Config): Promise<void> {
  const connectors = [...config.state.connections.values()].map(({ connector }) => connector)
  const solana = getSolanaState()
  // A wallet that is still reconnecting has not loaded its code.
  if (solana.status === 'reconnecting') dropSolana()
  const ended = await Promise.allSettled([
    ...connectors.map((connector) => disconnect(config, { connector })),
    ...(solana.status === 'connected' ? [loadSolana().then(({ disconnectSolana }) => disconnectSolana())] : []),
  ])
  for (const one of ended) if (one.status === 'rejected') toastError(messages.session.walletNotTold, one.reason)
}

/** Subscribes to connects, disconnects and account changes of the wallet that signs. */
function watchWallet(config: Config, listener: () => void): () => void {
  const stops = [
    watchConnection(config, { onChange: listener }),
    watchSolana(listener),
    watchRecentWallet(listener),
    watchSession(listener),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Returns the address of the wallet that signs, and rerenders on changes; undefined if it is not connected. */
export function useWalletAddress(): string | undefined {
  return useWallet((config) => getConnectedWallet(config)?.address)
}

/** Returns the status of the wallet that signs, and rerenders on changes. */
export function useWalletStatus(): WalletStatus {
  return useWallet(getWalletStatus)
}

/** The result must be a primitive, because it is compared by value. */
function useWallet<T extends string | undefined>(read: (config: Config) => T): T {
  const config = useConfig()
  return useSyncExternalStore(
    (listener) => watchWallet(config, listener),
    () => read(config),
  )
}
