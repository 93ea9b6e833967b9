import { useSyncExternalStore } from 'react'
import { dismissPayment, getRunningPayment, watchPayment } from '../payments/payment-store.ts'

/** What begins when the payment that is on its way is credited. */
let waiting: (() => void) | undefined
const listeners = new Set<() => void>()

function set(next: (() => void) | undefined): void {
  waiting = next
  for (const listener of listeners) listener()
}

watchPayment(() => {
  if (waiting === undefined) return
  const payment = getRunningPayment()
  // What was not paid is not sent; the sheet still has it.
  if (payment === undefined || payment.error !== undefined) return set(undefined)
  if (payment.step !== 'credited') return
  const start = waiting
  set(undefined)
  start()
  dismissPayment()
})

/**
 * Begins an upload by itself as soon as the payment on its way, or the next one, is credited: whatever page is open then. It
 * is forgotten where the payment fails or the account changes.
 */
export function uploadWhenPaid(start: () => void): void {
  set(start)
}

/** Whether an upload waits for a payment. */
export function useUploadWaits(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => waiting !== undefined,
  )
}
