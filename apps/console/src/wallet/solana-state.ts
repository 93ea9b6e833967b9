import type { WalletAccount } from '@wallet-standard/base'
import { recallText } from './kept-text.ts'
import type { SolanaWallet } from './solana-wallets.ts'

/** A Solana wallet that is connected, and the account that it shows. */
export type SolanaConnection = { wallet: SolanaWallet; account: WalletAccount }

/** `reconnecting`: the wallet of before is being asked, without a window, whether it still knows this page. */
export type SolanaState = ({ status: 'connected' } & SolanaConnection) | { status: 'disconnected' | 'reconnecting' }

/** Keeps the name of the wallet that is connected, for the next page. */
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

/** Calls back whenever a wallet is connected, leaves or shows another account. */
export function watchSolana(listener: (now: SolanaState, before: SolanaState) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
