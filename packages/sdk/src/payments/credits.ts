import {
  CairnError,
  type CallResult,
  getEgress as getEgressCall,
  getPayment as getPaymentCall,
  getQuotaDetails,
  listPayments as listPaymentsCall,
  type Payment,
  restoreError,
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
/** Status requests in a row that may fail, which is about a minute: the money was sent, so the caller should not see a failure. */
const maxFailures = 15

/**
 * Waits until the payments of a transaction are credited, or rejected with a reason. Continues while the service is unavailable
 * for a moment.
 * @param onUpdate called after each status request: how many blocks remain, and why there is no credit yet
 * @throws CairnError ABORTED; PAYMENT_FAILED if the chain dropped the transaction
 */
export async function waitForCredit(
  client: Client,
  network: string,
  txHash: string,
  { signal, onUpdate }: { signal?: AbortSignal; onUpdate?: (report: PaymentReport) => void } = {},
): Promise<Payment[]> {
  let failures = 0
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 1.5)) {
    const report = await getPayment(client, network, txHash, { signal }).catch((error: unknown) => {
      const failure = CairnError.from(error)
      if (!failure.retry) throw failure
      if (++failures > maxFailures) throw notCredited(failure)
    })
    if (report === undefined) {
      await pause(pauseMs, signal)
      continue
    }
    failures = 0
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

/** An error of the status requests says nothing about the payment. */
function notCredited(failure: CairnError): CairnError {
  const { code, message, status } = failure
  return restoreError(code, {
    message: `${message}. The payment was sent, and its credit is not known yet`,
    hint: 'Check the status of the payment before you pay again.',
    details: { ...failure.details },
    status,
    cause: failure,
  })
}

/**
 * Requests test coins on a local network.
 * @throws CairnError NOT_SUPPORTED on any other
 */
export async function useFaucet(client: Client, address: string, coin?: Coin, options?: CallOptions) {
  const body = { address, ...(coin === undefined ? {} : { coin }) }
  return (await call(client, useFaucetCall, { body }, options)).sent
}
