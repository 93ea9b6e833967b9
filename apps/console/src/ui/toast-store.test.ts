import { CairnError } from '@cairn/protocol'
import { expect, test, vi } from 'vitest'
import { dismissToast, holdToast, isToastShown, toastDone, toastError } from './toast-store.ts'

test('an error stays while successes come and go; too many errors drop the oldest', () => {
  // No success timer continues after the test.
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

test('a success toast stays while the user points at it or focuses it', () => {
  vi.useFakeTimers()
  try {
    // From earlier tests.
    for (let one = 0; one < 20; one++) dismissToast(one)
    toastDone('Moved to the trash', undefined, { label: 'Undo', run: () => undefined })
    // Its id is one more than that of any toast before.
    const id = toastError('Later', new CairnError('NETWORK_ERROR')) - 1
    expect(isToastShown(id)).toBe(true)
    holdToast(id, true)
    vi.advanceTimersByTime(60_000)
    expect(isToastShown(id)).toBe(true)
    holdToast(id, false)
    vi.advanceTimersByTime(2_000)
    expect(isToastShown(id)).toBe(false)
  } finally {
    vi.useRealTimers()
  }
})
