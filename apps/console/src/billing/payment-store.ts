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
import type { Config } from 'wagmi'
import { waitForCallsStatus } from 'wagmi/actions'
import { describeReason } from '../messages/describe-reason.ts'
import { messages } from '../messages/messages.ts'
import { usualError } from '../messages/usual-errors.ts'
import { asWorded } from '../messages/worded.ts'
import { queryClient } from '../network/query-client.ts'
import { getSession, watchSession } from '../session/session-store.ts'
import { toastDone, toastError } from '../ui/toasts/toast-store.ts'
import { clearSentPayment, keepSentPayment, recallSentPayments, type SentPayment, sentIdOf } from './sent-payments.ts'

/** Steps in order; `approve` only if the coin requires it. */
export type PaymentStep = 'start' | 'approve' | 'pay' | 'mined' | 'final' | 'credited'

/** A payment in progress. It continues across pages, and is restored after a reload once it was sent. */
export type RunningPayment = {
  address: string
  network: string
  symbol: string
  amount: string
  sizeBytes: number
  step: PaymentStep
  /** Whether the wallet opened an approval window. */
  hasApproval: boolean
  /** Whether the money may be on its way, or has arrived. */
  isSent: boolean
  /** Whether an earlier page sent it: nothing in this page follows its transaction, only its credit. */
  isResumed?: boolean
  txHash?: string
  /** Id of a batch, before its transaction is known. */
  batchId?: string
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

// An account does not see the payments of another.
watchSession(() => {
  if (running !== undefined && getSession()?.address.toLowerCase() !== running.address) stopWatching()
})

function stopWatching(): void {
  abort.abort()
  abort = new AbortController()
  set(undefined)
}

/** The terms shown to the user before the wallet opens. */
export type AgreedPayment = {
  address: string
  price: Price
  coin: Coin
  /** Contract of the token, if any. */
  token?: string
  sizeBytes: number
}

/** Pays and waits for the credit. Never throws: errors are in the store. Does nothing while another payment is in progress. */
export async function startPayment(client: Client, signer: PaySigner, agreed: AgreedPayment): Promise<void> {
  if (running !== undefined && !isOver(running)) return
  const { price, coin, token, sizeBytes } = agreed
  const { network, symbol, amount, units } = price
  const address = agreed.address.toLowerCase()
  const { signal } = abort
  const change = (part: Partial<RunningPayment>) => {
    if (!signal.aborted && running !== undefined) set({ ...running, ...part })
  }
  let sentId: string | undefined
  const note = (id: string, sent: Pick<SentPayment, 'txHash' | 'batchId'>) => {
    // A wallet may have replaced the transaction with one of a higher fee, and a batch gets one.
    if (sentId !== undefined && sentId !== id) clearSentPayment(sentId)
    sentId = id
    keepSentPayment({ address, network, coin, symbol, amount, sizeBytes, sentAt: Date.now(), ...sent })
  }
  set({ address, network, symbol, amount, sizeBytes, step: 'start', hasApproval: false, isSent: false })
  try {
    const paid = await pay(
      client,
      signer,
      { units, coin, network, ...(token === undefined ? {} : { token }) },
      {
        onEvent: (event) => {
          if (event.step === 'approving') change({ step: 'approve', hasApproval: true })
          else if (event.step === 'paying') change({ step: 'pay' })
          // Stored immediately: from here on the money may be on its way.
          else if (event.step === 'submitted') {
            const { batchId } = event
            note(batchId, { batchId })
            change({ step: 'mined', batchId, isSent: true })
          } else if (event.step === 'sent' || event.step === 'mined') {
            note(event.txHash, { txHash: event.txHash })
            change({ step: event.step === 'sent' ? 'mined' : 'final', txHash: event.txHash, isSent: true })
          }
        },
      },
    )
    await watchCredit(client, paid.network, paid.txHash, change, signal)
  } catch (fault) {
    if (signal.aborted) return
    const failed = CairnError.from(fault)
    const { outcome, txHash } = CairnError.is(failed, 'PAYMENT_FAILED') ? failed.details : {}
    const isUnpaid = outcome === 'unpaid'
    // A payment that was cancelled, reverted or replaced is never credited.
    const isGone = isUnpaid || (txHash !== undefined && txHash !== sentId)
    if (isGone && sentId !== undefined) clearSentPayment(sentId)
    const error = wordOutcome(failed)
    change({ error, ...(isUnpaid ? { isSent: false } : {}) })
    const title = outcome === 'unknown' ? messages.billing.stepsTitle : messages.billing.failed
    if (!isDeclined(error)) toastError(title, error)
  }
}

/**
 * Whether the user declined. A wallet that cannot pay, or does not have this account, rejects a payment with the same code, but
 * another message.
 */
export function isDeclined({ code, message }: CairnError): boolean {
  return code === 'PAYMENT_REJECTED' && message === usualError(code).message
}

/** Says in the language of the page what became of a transaction or batch that was sent. */
function wordOutcome(error: CairnError): CairnError {
  if (!CairnError.is(error, 'PAYMENT_FAILED') || error.details.outcome === undefined) return error
  const { unpaid, unpaidHint, outcomeUnknown, sentButFailed } = messages.billing
  const texts =
    error.details.outcome === 'unpaid'
      ? { message: unpaid, hint: unpaidHint }
      : { message: outcomeUnknown, hint: sentButFailed }
  return asWorded(new CairnError('PAYMENT_FAILED', { ...texts, details: error.details, cause: error }))
}

/**
 * Resumes the newest payment that an earlier page sent without seeing its credit.
 * @param config of the connected wallet, which knows what became of a batch; undefined until it is connected
 */
export async function resumePayment(client: Client, address: string, config: Config | undefined): Promise<void> {
  const sent = recallSentPayments(address).at(-1)
  if (sent?.txHash !== undefined) await resumeTransaction(client, sent, sent.txHash)
  else if (sent?.batchId !== undefined) await resumeBatch(client, sent, sent.batchId, config)
}

async function resumeTransaction(client: Client, sent: SentPayment, txHash: string): Promise<void> {
  if (running !== undefined) return
  const { signal } = abort
  const change = showResumed(sent, { step: 'final', txHash })
  try {
    await watchCredit(client, sent.network, txHash, change, signal)
  } catch (fault) {
    if (!signal.aborted) change({ error: CairnError.from(fault) })
  }
}

/** Time limit for the batch of an earlier page to be decided, in ms. */
const batchTimeoutMs = 10 * 60_000
/** The batch of an earlier page that this page follows. */
let followed: string | undefined

/** Says that it was sent, and once the wallet is connected, what became of it. */
async function resumeBatch(
  client: Client,
  sent: SentPayment,
  batchId: string,
  config: Config | undefined,
): Promise<void> {
  const change = showResumed(sent, { step: 'mined', batchId })
  // The page that sent the payment follows it itself.
  const isShown = running?.isResumed === true && running.batchId === batchId && !isOver(running)
  if (config === undefined || !isShown || followed === batchId) return
  const { signal } = abort
  followed = batchId
  try {
    const { status, receipts } = await waitForCallsStatus(config, { id: batchId, timeout: batchTimeoutMs })
    // Hidden meanwhile, or its account has left.
    if (signal.aborted) return
    const txHash = status === 'success' ? receipts?.at(-1)?.transactionHash : undefined
    if (txHash === undefined) throw batchFailure(batchId, status === 'failure' ? 'unpaid' : 'unknown', undefined)
    const { batchId: _batchId, ...kept } = sent
    keepSentPayment({ ...kept, txHash })
    clearSentPayment(batchId)
    change({ step: 'final', txHash })
    await watchCredit(client, sent.network, txHash, change, signal)
  } catch (fault) {
    const error = CairnError.is(fault) ? fault : batchFailure(batchId, 'unknown', fault)
    const isUnpaid = CairnError.is(error, 'PAYMENT_FAILED') && error.details.outcome === 'unpaid'
    if (isUnpaid) clearSentPayment(batchId)
    change({ error: wordOutcome(error), ...(isUnpaid ? { isSent: false } : {}) })
  } finally {
    followed = undefined
  }
}

function batchFailure(batchId: string, outcome: 'unpaid' | 'unknown', cause: unknown): CairnError {
  return new CairnError('PAYMENT_FAILED', { details: { batchId, outcome }, cause })
}

/** Shows a payment of an earlier page, if none is shown. @returns changes it, as long as it is shown */
function showResumed(
  { address, network, symbol, amount, sizeBytes }: SentPayment,
  part: Pick<RunningPayment, 'step' | 'txHash' | 'batchId'>,
): (next: Partial<RunningPayment>) => void {
  const about = { address, network, symbol, amount, sizeBytes, hasApproval: false, isSent: true, isResumed: true }
  if (running === undefined) set({ ...about, ...part })
  const { signal } = abort
  return (next) => {
    if (!signal.aborted && running?.isResumed === true) set({ ...running, ...next })
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
  clearSentPayment(txHash)
  for (const name of ['payments', 'usage']) void queryClient.invalidateQueries({ queryKey: [name] })
  const refused = payments.find(({ state }) => state === 'refused')
  if (refused !== undefined) {
    const { reason, reasonFacts } = refused
    const message = reason === null ? messages.billing.notCredited : describeReason(reason, reasonFacts)
    throw asWorded(new CairnError('PAYMENT_FAILED', { message }))
  }
  const creditedBytes = payments.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)
  change({ step: 'credited', creditedBytes })
  toastDone(messages.billing.paid(creditedBytes))
}

function isOver({ step, error }: RunningPayment): boolean {
  return step === 'credited' || error !== undefined
}

/** Removes a finished payment from the page. */
export function dismissPayment(): void {
  if (running === undefined || !isOver(running)) return
  // The user has seen the error.
  const id = sentIdOf(running)
  if (running.error !== undefined && id !== undefined) clearSentPayment(id)
  set(undefined)
}

/**
 * Stops waiting for a payment of an earlier page. Its transaction may have been replaced, cancelled or reverted since, and is then
 * never credited. The list of payments shows a credit that comes later.
 */
export function hidePayment(): void {
  const id = running?.isResumed === true ? sentIdOf(running) : undefined
  if (id === undefined) return
  clearSentPayment(id)
  stopWatching()
}

/** Returns the payment in progress or just finished. */
export function getRunningPayment(): RunningPayment | undefined {
  return running
}

/** Subscribes to changes of the payment; returns the function that unsubscribes. */
export function watchPayment(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns the payment in progress or just finished, and rerenders on changes. */
export function useRunningPayment(): RunningPayment | undefined {
  return useSyncExternalStore(watchPayment, getRunningPayment)
}
