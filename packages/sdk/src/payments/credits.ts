import {
  CairnError,
  type CallResult,
  getPayment as getPaymentCall,
  getQuotaDetails,
  listPayments as listPaymentsCall,
  type Payment,
  useFaucet as useFaucetCall,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call, pause } from '../request.ts'
import type { Coin } from './price.ts'

/** What became of a transaction, and how far its chain was read. */
export type PaymentReport = CallResult<typeof getPaymentCall>

/** What an account may store, and where that comes from. */
export type QuotaReport = CallResult<typeof getQuotaDetails>

/** The account's payments, newest first, in pages. */
export async function* listPayments(client: Client, options?: CallOptions): AsyncGenerator<Payment, void, undefined> {
  const limit = 100
  let after: string | undefined
  for (;;) {
    const query = { limit: String(limit), ...(after === undefined ? {} : { after }) }
    const { payments } = await call(client, listPaymentsCall, { query }, options)
    yield* payments
    if (payments.length < limit) return
    after = payments.at(-1)?.id
  }
}

/** What became of a transaction. @throws CairnError UNSUPPORTED_NETWORK */
export function getPayment(
  client: Client,
  network: string,
  txHash: string,
  options?: CallOptions,
): Promise<PaymentReport> {
  return call(client, getPaymentCall, { params: { network, txHash } }, options)
}

/** What the account may store, what it bought, and what is taken. */
export function getQuotaReport(client: Client, options?: CallOptions): Promise<QuotaReport> {
  return call(client, getQuotaDetails, { query: {} }, options)
}

const firstPauseMs = 200
const longestPauseMs = 5_000

/**
 * Waits until the payments of a transaction are decided: credited, or refused for a reason.
 * @param onUpdate told of each look: how many blocks there are yet to come, and why nothing is credited
 * @throws CairnError ABORTED; PAYMENT_FAILED when the chain dropped the transaction
 */
export async function waitForCredit(
  client: Client,
  network: string,
  txHash: string,
  { signal, onUpdate }: { signal?: AbortSignal; onUpdate?: (report: PaymentReport) => void } = {},
): Promise<Payment[]> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
    const report = await getPayment(client, network, txHash, { signal })
    onUpdate?.(report)
    const { payments } = report
    if (payments.some(({ state }) => state === 'orphaned')) {
      throw new CairnError('PAYMENT_FAILED', {
        message: 'The chain dropped the transaction',
        hint: 'The money is still the wallet’s, unless the transaction comes back by itself: look before you pay again.',
        details: { txHash },
      })
    }
    const isDecided = payments.every(({ state }) => state === 'credited' || state === 'refused')
    if (payments.length > 0 && isDecided) return payments
    await pause(pauseMs, signal)
  }
}

/** Gets test coins on a local network. @throws CairnError NOT_SUPPORTED on any other */
export async function useFaucet(client: Client, address: string, coin?: Coin, options?: CallOptions) {
  const body = { address, ...(coin === undefined ? {} : { coin }) }
  return (await call(client, useFaucetCall, { body }, options)).sent
}
