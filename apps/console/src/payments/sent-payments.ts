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
/** A transaction that left the wallet and is not known to be credited: kept, so that nobody pays twice after a reload. */
export type SentPayment = v.InferOutput<typeof sentPayment>

/** What was not decided in this time is looked for in the wallet, not here. */
const keptMs = 7 * 24 * 3_600_000
const paymentsMost = 50
const payments = openKeptList('cairn.payments', sentPayment, paymentsMost)

function readAll(): SentPayment[] {
  return payments.read().filter(({ sentAt }) => sentAt > Date.now() - keptMs)
}

/** Payments of an account that were sent from this browser and not decided yet. */
export function recallSentPayments(address: string): SentPayment[] {
  return readAll().filter((one) => one.address === address.toLowerCase())
}

export function keepSentPayment(payment: SentPayment): void {
  payments.write([...readAll().filter(({ txHash }) => txHash !== payment.txHash), payment])
}

export function forgetSentPayment(txHash: string): void {
  payments.write(readAll().filter((one) => one.txHash !== txHash))
}
