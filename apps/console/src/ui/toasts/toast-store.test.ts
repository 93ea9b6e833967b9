import { CairnError } from '@cairn/protocol'
import { expect, test, vi } from 'vitest'
import { dismissToast, holdToast, isToastShown, toastDone, toastError, undoLast } from './toast-store.ts'

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

test('Undo reverts the newest action that can be reverted, then the one before', () => {
  vi.useFakeTimers()
  try {
    // From earlier tests.
    for (let one = 0; one < 40; one++) dismissToast(one)
    const undone: string[] = []
    const offer = (name: string) =>
      toastDone(`${name} moved to the trash`, undefined, {
        label: 'Undo',
        isUndo: true,
        run: () => void undone.push(name),
      })
    offer('a.txt')
    offer('b.txt')
    toastDone('Link copied')
    toastDone('Ready', undefined, { label: 'Open', run: () => void undone.push('opened') })
    expect([undoLast(), undoLast(), undoLast(), undone]).toEqual([true, true, false, ['b.txt', 'a.txt']])
  } finally {
    vi.useRealTimers()
  }
})
