import { useSyncExternalStore } from 'react'
import { toCairnError } from '../network/query-client.ts'
import { joinSentences } from '../words/format.ts'
import { markControls } from '../words/mark-controls.ts'

/** A panel that shows the same as some toasts. */
type ToastPlace = 'transfers'

/** A result of work in the background. Errors stay until they are dismissed. */
export type Toast = {
  id: number
  tone: 'good' | 'bad'
  title: string
  text?: string | undefined
  /** Of errors: the code, and what to copy for somebody who helps. */
  code?: string | undefined
  report?: string | undefined
  /** The panel that shows the same. Opening it removes the toast, which would cover its buttons. */
  shownIn?: ToastPlace | undefined
}

const shownMs = 5_000
/** More at a time would cover the page. */
const toastsMost = 4

let toasts: readonly Toast[] = []
let nextId = 1
const listeners = new Set<() => void>()

function set(next: readonly Toast[]): void {
  toasts = next.slice(-toastsMost)
  for (const listener of listeners) listener()
}

export function dismissToast(id: number): void {
  set(toasts.filter((toast) => toast.id !== id))
}

/** Says that something is done. */
export function toastDone(title: string, text?: string): void {
  const id = nextId++
  set([...toasts, { id, tone: 'good', title: markControls(title), text }])
  setTimeout(() => dismissToast(id), shownMs)
}

/** Says that something failed: what, why, and what to do. */
export function toastError(title: string, error: unknown, shownIn?: ToastPlace): void {
  const { message, hint, code } = toCairnError(error)
  const report = JSON.stringify(toCairnError(error))
  const text = markControls(joinSentences(message, hint))
  set([...toasts, { id: nextId++, tone: 'bad', title: markControls(title), text, code, report, shownIn }])
}

/** Removes the toasts that this panel shows too. */
export function dismissShownIn(place: ToastPlace): void {
  set(toasts.filter(({ shownIn }) => shownIn !== place))
}

export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => toasts,
  )
}
