import { createStore } from '../state/store.ts'
import { keepText, recallText } from './kept-text.ts'

/** Kinds of accounts that a wallet of the browser can sign with. */
export type WalletFamily = 'evm' | 'solana'

/** The last chosen wallet, used for sign-in. Another may also be connected, for payments. */
export type RecentWallet = { family: WalletFamily; id: string }

const storageName = 'cairn.wallet.recent'
const recent = createStore(parse(recallText(storageName)))

function parse(text: string | undefined): RecentWallet | undefined {
  const [, family, id] = /^(evm|solana):(.{1,200})$/s.exec(text ?? '') ?? []
  return (family === 'evm' || family === 'solana') && id !== undefined ? { family, id } : undefined
}

/** Returns the last chosen wallet; undefined if there is none. */
export function getRecentWallet(): RecentWallet | undefined {
  return recent.get()
}

/** Stores the chosen wallet, also for later pages. */
export function setRecentWallet(next: RecentWallet): void {
  keepText(storageName, `${next.family}:${next.id}`)
  recent.set(next)
}

/** Subscribes to changes of the chosen wallet. */
export const watchRecentWallet = recent.watch
