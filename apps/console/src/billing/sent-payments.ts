import * as v from 'valibot'
import { openKeptList } from '../browser/kept-list.ts'

const sentPayment = v.object({
  address: v.string(),
  network: v.string(),
  /** Undefined for a batch of a wallet (EIP-5792), until its transaction is known. */
  txHash: v.exactOptional(v.string()),
  batchId: v.exactOptional(v.string()),
  coin: v.string(),
  symbol: v.string(),
  amount: v.string(),
  sizeBytes: v.number(),
  sentAt: v.number(),
})
/** A sent transaction or batch that is not known to be credited: stored, so that no payment is repeated after a reload. */
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

/** Returns what names a payment: its transaction, or else its batch. */
export function sentIdOf({ txHash, batchId }: { txHash?: string; batchId?: string }): string | undefined {
  return txHash ?? batchId
}

export function keepSentPayment(payment: SentPayment): void {
  payments.write([...readAll().filter((one) => sentIdOf(one) !== sentIdOf(payment)), payment])
}

export function clearSentPayment(id: string): void {
  payments.write(readAll().filter((one) => sentIdOf(one) !== id))
}
