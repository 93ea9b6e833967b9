import { useSyncExternalStore } from 'react'
import { dismissPayment, getRunningPayment, watchPayment } from '../billing/payment-store.ts'

/** Starts when the pending payment is credited. */
let waiting: (() => void) | undefined
const listeners = new Set<() => void>()

function set(next: (() => void) | undefined): void {
  waiting = next
  for (const listener of listeners) listener()
}

watchPayment(() => {
  if (waiting === undefined) return
  const payment = getRunningPayment()
  // An unpaid upload is not sent; it stays in the sheet.
  if (payment === undefined || payment.error !== undefined) return set(undefined)
  if (payment.step !== 'credited') return
  const start = waiting
  set(undefined)
  start()
  dismissPayment()
})

/**
 * Starts an upload automatically once the current payment, or the next one, is credited, on any page. Cleared if the
 * payment fails or the account changes.
 */
export function uploadWhenPaid(start: () => void): void {
  set(start)
}

/** Returns whether an upload waits for a payment. */
export function useUploadWaits(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => waiting !== undefined,
  )
}
