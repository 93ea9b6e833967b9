import type { WalletAccount } from '@wallet-standard/base'
import { keepText, recallText } from './kept-text.ts'
import type { SolanaWallet } from './solana-wallets.ts'

/** A connected Solana wallet, with its current account. */
export type SolanaConnection = { wallet: SolanaWallet; account: WalletAccount }

/** `reconnecting`: the previous wallet is checked, without a window, for whether it still knows this page. */
export type SolanaState = ({ status: 'connected' } & SolanaConnection) | { status: 'disconnected' | 'reconnecting' }

/** Stores the name of the connected wallet for the next page. */
export const solanaStorageName = 'cairn.wallet.solana'

let state: SolanaState = { status: recallText(solanaStorageName) === undefined ? 'disconnected' : 'reconnecting' }
const listeners = new Set<(now: SolanaState, before: SolanaState) => void>()

export function getSolanaState(): SolanaState {
  return state
}

export function setSolanaState(next: SolanaState): void {
  const before = state
  state = next
  for (const listener of listeners) listener(state, before)
}

/** Disconnects here, and stores no wallet for the next page. */
export function dropSolana(): void {
  keepText(solanaStorageName, undefined)
  setSolanaState({ status: 'disconnected' })
}

/** Subscribes to connects, disconnects and account changes. */
export function watchSolana(listener: (now: SolanaState, before: SolanaState) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
