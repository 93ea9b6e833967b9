import {
  CairnError,
  type CallResult,
  getEgress as getEgressCall,
  getPayment as getPaymentCall,
  getQuotaDetails,
  listPayments as listPaymentsCall,
  type Payment,
  useFaucet as useFaucetCall,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call, pause } from '../request.ts'
import type { Coin } from './price.ts'

/** State of a transaction, and how far its chain was read. */
export type PaymentReport = CallResult<typeof getPaymentCall>

/** Storage limit of an account and its sources. */
export type QuotaReport = CallResult<typeof getQuotaDetails>

/** Lists the payments of the account, newest first, in pages. */
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

/**
 * Returns the state of a transaction.
 * @throws CairnError UNSUPPORTED_NETWORK
 */
export function getPayment(
  client: Client,
  network: string,
  txHash: string,
  options?: CallOptions,
): Promise<PaymentReport> {
  return call(client, getPaymentCall, { params: { network, txHash } }, options)
}

/** Returns the storage limit of the account, the storage it bought, and its usage. */
export function getQuotaReport(client: Client, options?: CallOptions): Promise<QuotaReport> {
  return call(client, getQuotaDetails, { query: {} }, options)
}

/**
 * Returns the bytes that the gateway sent of the content of the account, per day in UTC, oldest first. Days without traffic are
 * omitted.
 * @param days at most 400
 */
export async function getEgress(
  client: Client,
  days: number,
  options?: CallOptions,
): Promise<{ day: string; bytes: number }[]> {
  return (await call(client, getEgressCall, { query: { days: String(days) } }, options)).days
}

const firstPauseMs = 200
const maxPauseMs = 5_000

/**
 * Waits until the payments of a transaction are credited, or rejected with a reason.
 * @param onUpdate called after each status request: how many blocks remain, and why there is no credit yet
 * @throws CairnError ABORTED; PAYMENT_FAILED if the chain dropped the transaction
 */
export async function waitForCredit(
  client: Client,
  network: string,
  txHash: string,
  { signal, onUpdate }: { signal?: AbortSignal; onUpdate?: (report: PaymentReport) => void } = {},
): Promise<Payment[]> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 1.5)) {
    const report = await getPayment(client, network, txHash, { signal })
    onUpdate?.(report)
    const { payments } = report
    if (payments.some(({ state }) => state === 'orphaned')) {
      throw new CairnError('PAYMENT_FAILED', {
        message: 'The chain dropped the transaction',
        hint: 'The wallet still has the funds, unless the chain includes the transaction later. Check the transaction before you pay again.',
        details: { txHash },
      })
    }
    const isDecided = payments.every(({ state }) => state === 'credited' || state === 'refused')
    if (payments.length > 0 && isDecided) return payments
    await pause(pauseMs, signal)
  }
}

/**
 * Requests test coins on a local network.
 * @throws CairnError NOT_SUPPORTED on any other
 */
export async function useFaucet(client: Client, address: string, coin?: Coin, options?: CallOptions) {
  const body = { address, ...(coin === undefined ? {} : { coin }) }
  return (await call(client, useFaucetCall, { body }, options)).sent
}
