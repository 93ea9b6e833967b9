import { keepText, recallText } from './kept-text.ts'

/** Kinds of accounts that a wallet of the browser can sign with. */
export type WalletFamily = 'evm' | 'solana'

/** The wallet that was chosen last: who is not signed in signs in with it. Another may be connected beside it, to pay. */
export type RecentWallet = { family: WalletFamily; id: string }

const storageName = 'cairn.wallet.recent'
let recent = parse(recallText(storageName))
const listeners = new Set<() => void>()

function parse(text: string | undefined): RecentWallet | undefined {
  const [, family, id] = /^(evm|solana):(.{1,200})$/s.exec(text ?? '') ?? []
  return (family === 'evm' || family === 'solana') && id !== undefined ? { family, id } : undefined
}

/** The wallet chosen last; undefined where none ever was. */
export function getRecentWallet(): RecentWallet | undefined {
  return recent
}

/** Notes which wallet was chosen, also for pages to come. */
export function setRecentWallet(next: RecentWallet): void {
  recent = next
  keepText(storageName, `${next.family}:${next.id}`)
  for (const listener of listeners) listener()
}

/** Calls back whenever another wallet is chosen. */
export function watchRecentWallet(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
