import * as v from 'valibot'
import { openKeptList } from '../ui/kept-list.ts'

const sentPayment = v.object({
  address: v.string(),
  network: v.string(),
  txHash: v.string(),
  coin: v.string(),
  symbol: v.string(),
  amount: v.string(),
  sizeBytes: v.number(),
  sentAt: v.number(),
})
/** A sent transaction that is not known to be credited: stored, so that no payment is repeated after a reload. */
export type SentPayment = v.InferOutput<typeof sentPayment>

/** After this time in ms, the wallet rather than this page is the place to look. */
const keptMs = 7 * 24 * 3_600_000
const maxPayments = 50
const payments = openKeptList('cairn.payments', sentPayment, maxPayments)

function readAll(): SentPayment[] {
  return payments.read().filter(({ sentAt }) => sentAt > Date.now() - keptMs)
}

/** Returns the sent payments of an account in this browser that are still pending. */
export function recallSentPayments(address: string): SentPayment[] {
  return readAll().filter((one) => one.address === address.toLowerCase())
}

export function keepSentPayment(payment: SentPayment): void {
  payments.write([...readAll().filter(({ txHash }) => txHash !== payment.txHash), payment])
}

export function clearSentPayment(txHash: string): void {
  payments.write(readAll().filter((one) => one.txHash !== txHash))
}
