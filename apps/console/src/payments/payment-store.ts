import {
  CairnError,
  type Client,
  type Coin,
  type PaymentReport,
  type PaySigner,
  type Price,
  pay,
  waitForCredit,
} from '@cairn/sdk'
import { useSyncExternalStore } from 'react'
import { queryClient } from '../network/query-client.ts'
import { getSession, watchSession } from '../session/session-store.ts'
import { toastDone, toastError } from '../ui/toast-store.ts'
import { words } from '../words/words.ts'
import { forgetSentPayment, keepSentPayment, recallSentPayments } from './sent-payments.ts'

/** What has to happen, in order; `approve` only where the coin asks for it. */
export type PaymentStep = 'start' | 'approve' | 'pay' | 'mined' | 'final' | 'credited'

/** A payment on its way. It goes on while its user moves about, and is found again after a reload once it was sent. */
export type RunningPayment = {
  address: string
  network: string
  symbol: string
  amount: string
  sizeBytes: number
  step: PaymentStep
  /** Whether the wallet was asked for an approval. */
  hasApproval: boolean
  txHash?: string
  report?: PaymentReport
  creditedBytes?: number
  error?: CairnError
}

let running: RunningPayment | undefined
let abort = new AbortController()
const listeners = new Set<() => void>()

function set(next: RunningPayment | undefined): void {
  running = next
  for (const listener of listeners) listener()
}

// What one account pays, another does not see.
watchSession(() => {
  if (running !== undefined && getSession()?.address.toLowerCase() !== running.address) stopWatching()
})

function stopWatching(): void {
  abort.abort()
  abort = new AbortController()
  set(undefined)
}

/** What is paid, as it was shown to the user before the wallet is asked. */
export type AgreedPayment = {
  address: string
  price: Price
  coin: Coin
  /** Contract of the token, where it is one. */
  token?: string
  sizeBytes: number
}

/** Pays and waits for the credit. Never throws: what went wrong is in the store. A second payment waits for the first. */
export async function startPayment(client: Client, signer: PaySigner, agreed: AgreedPayment): Promise<void> {
  if (running !== undefined && !isOver(running)) return
  const { price, coin, token, sizeBytes } = agreed
  const { network, symbol, amount, units } = price
  const address = agreed.address.toLowerCase()
  const { signal } = abort
  const change = (part: Partial<RunningPayment>) => {
    if (!signal.aborted && running !== undefined) set({ ...running, ...part })
  }
  let sentHash: string | undefined
  const note = (txHash: string) => {
    // A wallet may have replaced the transaction by one with a higher fee.
    if (sentHash !== undefined && sentHash !== txHash) forgetSentPayment(sentHash)
    sentHash = txHash
    keepSentPayment({ address, network, coin, symbol, amount, sizeBytes, txHash, sentAt: Date.now() })
  }
  set({ address, network, symbol, amount, sizeBytes, step: 'start', hasApproval: false })
  try {
    const paid = await pay(
      client,
      signer,
      { units, coin, network, ...(token === undefined ? {} : { token }) },
      {
        onEvent: (event) => {
          if (event.step === 'approving') change({ step: 'approve', hasApproval: true })
          else if (event.step === 'paying') change({ step: 'pay' })
          else if (event.step === 'sent' || event.step === 'mined') {
            // Whatever becomes of this page: from here on the money may be on its way.
            note(event.txHash)
            change({ step: event.step === 'sent' ? 'mined' : 'final', txHash: event.txHash })
          }
        },
      },
    )
    await watchCredit(client, paid.network, paid.txHash, change, signal)
  } catch (fault) {
    if (signal.aborted) return
    const error = CairnError.from(fault)
    change({ error })
    if (error.code !== 'PAYMENT_REJECTED') toastError(words.storage.failed, error)
  }
}

/** Takes up the newest payment that an earlier page sent and did not see credited. */
export async function resumePayment(client: Client, address: string): Promise<void> {
  const sent = recallSentPayments(address).at(-1)
  if (sent === undefined || running !== undefined) return
  const { network, symbol, amount, sizeBytes, txHash } = sent
  const { signal } = abort
  const change = (part: Partial<RunningPayment>) => {
    if (!signal.aborted && running?.txHash === txHash) set({ ...running, ...part })
  }
  set({ address: sent.address, network, symbol, amount, sizeBytes, txHash, step: 'final', hasApproval: false })
  try {
    await watchCredit(client, network, txHash, change, signal)
  } catch (fault) {
    if (!signal.aborted) change({ error: CairnError.from(fault) })
  }
}

async function watchCredit(
  client: Client,
  network: string,
  txHash: string,
  change: (part: Partial<RunningPayment>) => void,
  signal: AbortSignal,
): Promise<void> {
  const payments = await waitForCredit(client, network, txHash, {
    signal,
    onUpdate: (report) => {
      change({ report })
      if (report.payments.length > 0) void queryClient.invalidateQueries({ queryKey: ['payments'] })
    },
  })
  forgetSentPayment(txHash)
  for (const name of ['payments', 'usage']) void queryClient.invalidateQueries({ queryKey: [name] })
  const refused = payments.find(({ state }) => state === 'refused')
  if (refused !== undefined) {
    throw new CairnError('PAYMENT_FAILED', { message: refused.reason ?? words.storage.notCredited })
  }
  const creditedBytes = payments.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)
  change({ step: 'credited', creditedBytes })
  toastDone(words.storage.paid(creditedBytes))
}

function isOver({ step, error }: RunningPayment): boolean {
  return step === 'credited' || error !== undefined
}

/** Takes a payment that is over off the page. */
export function dismissPayment(): void {
  if (running === undefined || !isOver(running)) return
  // Its user has read what became of it.
  if (running.error !== undefined && running.txHash !== undefined) forgetSentPayment(running.txHash)
  set(undefined)
}

/** The payment on its way or just over. */
export function getRunningPayment(): RunningPayment | undefined {
  return running
}

/** Calls whenever something of the payment changes; gives what ends that. */
export function watchPayment(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The payment on its way or just over, followed. */
export function useRunningPayment(): RunningPayment | undefined {
  return useSyncExternalStore(watchPayment, getRunningPayment)
}
