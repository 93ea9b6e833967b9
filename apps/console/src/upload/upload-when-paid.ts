import { dismissPayment, getRunningPayment, watchPayment } from '../billing/payment-store.ts'
import { createStore, useStore } from '../state/store.ts'

/** Starts when the pending payment is credited. */
const waiting = createStore<(() => void) | undefined>(undefined)

watchPayment(() => {
  const start = waiting.get()
  if (start === undefined) return
  const payment = getRunningPayment()
  // An unpaid upload is not sent; it stays in the sheet.
  if (payment === undefined || payment.error !== undefined) return waiting.set(undefined)
  if (payment.step !== 'credited') return
  waiting.set(undefined)
  start()
  dismissPayment()
})

/**
 * Starts an upload automatically once the current payment, or the next one, is credited, on any page. Cleared if the
 * payment fails or the account changes.
 */
export function uploadWhenPaid(start: () => void): void {
  waiting.set(start)
}

/** Returns whether an upload waits for a payment. */
export function useUploadWaits(): boolean {
  return useStore(waiting) !== undefined
}
