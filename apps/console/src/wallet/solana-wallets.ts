import type { SolanaSignMessageFeature } from '@solana/wallet-standard-features'
import { getWallets } from '@wallet-standard/app'
import type { Wallet, WalletAccount } from '@wallet-standard/base'
import type {
  StandardConnectFeature,
  StandardDisconnectFeature,
  StandardEventsFeature,
} from '@wallet-standard/features'
import { useSyncExternalStore } from 'react'

/** A wallet that can connect and sign messages with Solana accounts; some cannot disconnect, or report no changes. */
export type SolanaWallet = Wallet & {
  readonly features: StandardConnectFeature &
    SolanaSignMessageFeature &
    Partial<StandardDisconnectFeature & StandardEventsFeature>
}

function isSolanaWallet(wallet: Wallet): wallet is SolanaWallet {
  const { chains, features } = wallet
  return (
    chains.some((chain) => chain.startsWith('solana:')) &&
    'standard:connect' in features &&
    'solana:signMessage' in features
  )
}

/**
 * Returns whether an account is a Solana account that signs messages: wallets may also have accounts of other chains.
 */
export function signsTexts({ chains, features }: WalletAccount): boolean {
  return features.includes('solana:signMessage') && chains.some((chain) => chain.startsWith('solana:'))
}

let known: readonly SolanaWallet[] | undefined

/**
 * Returns the wallets that announced themselves to this page, in order.
 * @see https://github.com/wallet-standard/wallet-standard
 */
export function listSolanaWallets(): readonly SolanaWallet[] {
  known ??= getWallets().get().filter(isSolanaWallet)
  return known
}

/** Subscribes to wallets that announce or remove themselves: extensions may load after the page. */
export function watchSolanaWallets(listener: () => void): () => void {
  const { on } = getWallets()
  const change = () => {
    known = undefined
    listener()
  }
  const stops = [on('register', change), on('unregister', change)]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Returns the wallets, and rerenders on changes. */
export function useSolanaWallets(): readonly SolanaWallet[] {
  return useSyncExternalStore(watchSolanaWallets, listSolanaWallets)
}
