import type { SolanaSignMessageFeature } from '@solana/wallet-standard-features'
import { getWallets } from '@wallet-standard/app'
import type { Wallet, WalletAccount } from '@wallet-standard/base'
import type {
  StandardConnectFeature,
  StandardDisconnectFeature,
  StandardEventsFeature,
} from '@wallet-standard/features'
import { useSyncExternalStore } from 'react'

/** A wallet that can connect and sign texts with Solana accounts; some cannot be told to leave, or tell nothing of changes. */
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

/** Whether an account of such a wallet is one of Solana that signs texts: wallets may hold accounts of other chains too. */
export function signsTexts({ chains, features }: WalletAccount): boolean {
  return features.includes('solana:signMessage') && chains.some((chain) => chain.startsWith('solana:'))
}

let known: readonly SolanaWallet[] | undefined

/**
 * The wallets that announced themselves to this page, in their order.
 * @see https://github.com/wallet-standard/wallet-standard
 */
export function listSolanaWallets(): readonly SolanaWallet[] {
  known ??= getWallets().get().filter(isSolanaWallet)
  return known
}

/** Calls back whenever a wallet announces itself, or leaves: extensions may be later than the page. */
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

/** The wallets, followed. */
export function useSolanaWallets(): readonly SolanaWallet[] {
  return useSyncExternalStore(watchSolanaWallets, listSolanaWallets)
}
