import * as v from 'valibot'

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

const storageName = 'cairn.payments'
/** What was not decided in this time is looked for in the wallet, not here. */
const keptMs = 7 * 24 * 3_600_000
const paymentsMost = 50

function readAll(): SentPayment[] {
  try {
    const parsed = v.safeParse(v.array(sentPayment), JSON.parse(localStorage.getItem(storageName) ?? '[]'))
    return parsed.success ? parsed.output.filter(({ sentAt }) => sentAt > Date.now() - keptMs) : []
  } catch (error) {
    // A browser that keeps nothing, or something else under our name: there is nothing to remember.
    if (error instanceof SyntaxError || error instanceof DOMException) return []
    throw error
  }
}

function writeAll(payments: readonly SentPayment[]): void {
  try {
    if (payments.length === 0) localStorage.removeItem(storageName)
    else localStorage.setItem(storageName, JSON.stringify(payments.slice(-paymentsMost)))
  } catch (error) {
    // A browser that keeps nothing: the payment is still shown by this page, and by the service.
    if (!(error instanceof DOMException)) throw error
  }
}

/** Payments of an account that were sent from this browser and not decided yet. */
export function recallSentPayments(address: string): SentPayment[] {
  return readAll().filter((one) => one.address === address.toLowerCase())
}

export function keepSentPayment(payment: SentPayment): void {
  writeAll([...readAll().filter(({ txHash }) => txHash !== payment.txHash), payment])
}

export function forgetSentPayment(txHash: string): void {
  writeAll(readAll().filter((one) => one.txHash !== txHash))
}
