import { CairnError } from '@cairn/protocol'
import { expect, test, vi } from 'vitest'
import { isToastShown, toastDone, toastError } from './toast-store.ts'

test('an error stays while successes come and go; of too many errors the oldest makes room', () => {
  // No timer of a success runs on after the test.
  vi.useFakeTimers()
  try {
    const failed = toastError('The payment failed', new CairnError('PAYMENT_FAILED'))
    for (let i = 0; i < 6; i++) toastDone(`File ${i} uploaded`)
    expect(isToastShown(failed)).toBe(true)
    const others = Array.from({ length: 4 }, () => toastError('Failed', new CairnError('NETWORK_ERROR')))
    expect(others.every(isToastShown)).toBe(true)
    expect(isToastShown(failed)).toBe(false)
  } finally {
    vi.useRealTimers()
  }
})
