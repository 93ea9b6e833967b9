import { CairnError, isEvmAddress } from '@cairn/protocol'
import { useSyncExternalStore } from 'react'
import { type Config, useConfig } from 'wagmi'
import { disconnect, getConnection, signMessage, watchConnection } from 'wagmi/actions'
import { getSession, watchSession } from '../session/session-store.ts'
import { words } from '../words/words.ts'
import { getRecentWallet, type WalletFamily, watchRecentWallet } from './recent-wallet.ts'
import { getSolanaState, watchSolana } from './solana-state.ts'

// What speaks to Solana wallets is loaded by who chooses one, or is connected by one.
const loadSolana = () => import('./solana-connection.ts')

/** A wallet that is connected: whose it is, and how it signs. */
export type ConnectedWallet = {
  family: WalletFamily
  /** As the wallet writes it. */
  address: string
  name: string
  /** A data URL, where the wallet gave one. */
  icon: string | undefined
  /**
   * Signs a readable text: EIP-191 of EVM accounts, ed25519 over the very UTF-8 of Solana's.
   * @throws the wallet's own errors, see readWalletFault
   */
  sign(message: string): Promise<string>
}

/**
 * The wallet that signs, where it is connected: of the session's kind, or for who is not signed in the one chosen last. One of
 * the other kind may be connected too; it only pays.
 */
export function getConnectedWallet(config: Config): ConnectedWallet | undefined {
  return signingFamily() === 'solana' ? solanaWallet() : evmWallet(config)
}

/**
 * The wallet that signs for an account.
 * @throws CairnError NO_WALLET where it is not connected, or shows another account
 */
export function requireWallet(config: Config, address: string): ConnectedWallet {
  const wallet = getConnectedWallet(config)
  if (wallet?.address === address) return wallet
  throw new CairnError('NO_WALLET', { hint: words.session.walletMissing })
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
    sign: (message) => signMessage(config, { message, account: address, connector }),
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

/** Where the connection of the wallet that signs stands. */
export type WalletStatus = 'connected' | 'connecting' | 'reconnecting' | 'disconnected'

function getWalletStatus(config: Config): WalletStatus {
  return signingFamily() === 'solana' ? getSolanaState().status : getConnection(config).status
}

/** Takes up a Solana wallet of an earlier page, where there was one. Opens no window. */
export async function reconnectSolanaWallet(): Promise<void> {
  if (getSolanaState().status === 'reconnecting') await (await loadSolana()).reconnectSolana()
}

/** Leaves every wallet that is connected. */
export async function disconnectWallets(config: Config): Promise<void> {
  const connectors = [...config.state.connections.values()].map(({ connector }) => connector)
  await Promise.all(connectors.map((connector) => disconnect(config, { connector })))
  if (getSolanaState().status !== 'disconnected') await (await loadSolana()).disconnectSolana()
}

/** Calls back whenever the wallet that signs connects, leaves, or shows another account. */
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

/** The address of the wallet that signs, followed; undefined where it is not connected. */
export function useWalletAddress(): string | undefined {
  return useWallet((config) => getConnectedWallet(config)?.address)
}

/** Where the wallet that signs stands, followed. */
export function useWalletStatus(): WalletStatus {
  return useWallet(getWalletStatus)
}

/** What is read has to be a plain value: it is compared by itself. */
function useWallet<T extends string | undefined>(read: (config: Config) => T): T {
  const config = useConfig()
  return useSyncExternalStore(
    (listener) => watchWallet(config, listener),
    () => read(config),
  )
}
