import { CairnError } from '@cairn/protocol'
import type { WalletAccount } from '@wallet-standard/base'
import { messages } from '../messages/messages.ts'
import { asWorded } from '../messages/worded.ts'
import { keepText, recallText } from './kept-text.ts'
import { dropSolana, getSolanaState, type SolanaConnection, setSolanaState, solanaStorageName } from './solana-state.ts'
import { listSolanaWallets, type SolanaWallet, signsTexts, watchSolanaWallets } from './solana-wallets.ts'

let stopEvents = () => {}

/**
 * Connects a wallet; its window opens. An answer after the signal aborts is ignored.
 * @throws the errors of the wallet, see readWalletFailure
 */
export async function connectSolana(wallet: SolanaWallet, signal: AbortSignal): Promise<void> {
  const account = await connectWallet(wallet, false)
  if (signal.aborted) return
  if (account === undefined)
    throw asWorded(
      new CairnError('NO_WALLET', { message: messages.wallet.noAccount, hint: messages.wallet.noAccountHint }),
    )
  adopt(wallet, account)
  keepText(solanaStorageName, wallet.name)
}

/** Reconnects the wallet of an earlier page, if it still knows the page. Opens no window. */
export async function reconnectSolana(): Promise<void> {
  const wallet = await findWallet(recallText(solanaStorageName) ?? '')
  try {
    const account = wallet === undefined ? undefined : await connectWallet(wallet, true)
    // The user may have connected another meanwhile.
    if (getSolanaState().status !== 'reconnecting') return
    if (wallet !== undefined && account !== undefined) adopt(wallet, account)
    else setSolanaState({ status: 'disconnected' })
  } catch {
    // A wallet that is locked, or no longer trusts this page, rejects: it connects again before the next signature.
    if (getSolanaState().status === 'reconnecting') setSolanaState({ status: 'disconnected' })
  }
}

/** Disconnects the wallet, if one is connected. */
export async function disconnectSolana(): Promise<void> {
  const before = getSolanaState()
  stopEvents()
  dropSolana()
  if (before.status === 'connected') await before.wallet.features['standard:disconnect']?.disconnect()
}

/**
 * Signs the exact UTF-8 of a message.
 * @returns hex
 * @throws the errors of the wallet, see readWalletFailure
 */
export async function signWithSolana({ wallet, account }: SolanaConnection, text: string): Promise<string> {
  const message = new TextEncoder().encode(text)
  const [signed] = await wallet.features['solana:signMessage'].signMessage({ account, message }).catch(asRefusal)
  if (signed === undefined) throw new Error('the wallet answered without a signature')
  // Some devices sign an envelope around the message, which cannot be verified against the message alone.
  const isSame =
    signed.signedMessage.length === message.length && signed.signedMessage.every((byte, i) => byte === message[i])
  if (!isSame)
    throw asWorded(
      new CairnError('INVALID_SIGNATURE', {
        message: messages.wallet.otherText,
        hint: messages.wallet.otherTextHint,
      }),
    )
  return Array.from(signed.signature, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

async function connectWallet(wallet: SolanaWallet, silent: boolean): Promise<WalletAccount | undefined> {
  const { accounts } = await wallet.features['standard:connect'].connect(silent ? { silent } : {}).catch(asRefusal)
  return accounts.find(signsTexts)
}

function adopt(wallet: SolanaWallet, account: WalletAccount): void {
  stopEvents()
  const stop = wallet.features['standard:events']?.on('change', ({ accounts }) => {
    if (accounts === undefined) return
    const next = accounts.find(signsTexts)
    if (next !== undefined) setSolanaState({ status: 'connected', wallet, account: next })
    else {
      stopEvents()
      setSolanaState({ status: 'disconnected' })
    }
  })
  stopEvents = () => stop?.()
  setSolanaState({ status: 'connected', wallet, account })
}

/** Time limit in ms for a previous wallet to announce itself. */
const announceMs = 3_000

function findWallet(name: string): Promise<SolanaWallet | undefined> {
  const find = () => listSolanaWallets().find((one) => one.name === name)
  const found = find()
  if (found !== undefined) return Promise.resolve(found)
  return new Promise((resolve) => {
    const end = (wallet: SolanaWallet | undefined) => {
      clearTimeout(timer)
      stop()
      resolve(wallet)
    }
    const timer = setTimeout(() => end(undefined), announceMs)
    const stop = watchSolanaWallets(() => {
      const wallet = find()
      if (wallet !== undefined) end(wallet)
    })
  })
}

/** The standard has no code for a rejection: wallets use that of EIP-1193, or a message. */
class WalletRefusal extends Error {
  override readonly name = 'UserRejectedRequestError'
}

function asRefusal(error: unknown): never {
  const text = error instanceof Error ? error.message : String(error)
  if (/reject|declin|denied|cancel/i.test(text)) throw new WalletRefusal(text, { cause: error })
  throw error
}
