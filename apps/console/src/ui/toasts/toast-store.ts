import { explainError } from '../../messages/describe-error.ts'
import { markControls } from '../../messages/mark-controls.ts'
import { toCairnError } from '../../network/query-client.ts'
import { createStore, useStore } from '../../state/store.ts'

/** A panel that shows the same results as some toasts. */
type ToastPlace = 'transfers'

/** A button of a toast. */
type ToastAction = {
  label: string
  run: () => void
  /** Reverts what the toast reports: the keys for Undo run it. */
  isUndo?: boolean
  /**
   * Subscribes to the moment at which the action has nothing left to do, which removes the toast. Returns a function that
   * unsubscribes.
   */
  watch?: (onIdle: () => void) => () => void
}

/** A result of background work. Errors stay until they are dismissed. */
export type Toast = {
  id: number
  tone: 'good' | 'bad'
  title: string
  text?: string | undefined
  /** For errors: the code, and text to copy for support. */
  code?: string | undefined
  report?: string | undefined
  /** The panel that shows the same. Opening it removes the toast, which would cover its buttons. */
  shownIn?: ToastPlace | undefined
  /** One button, which also dismisses it. */
  action?: ToastAction | undefined
  /** A link to another tab, which also dismisses it. */
  link?: { label: string; href: string } | undefined
}

const shownMs = 5_000
const shownWithActionMs = 12_000
/** Minimum time in ms that a toast stays after the pointer and the focus have left it. */
const heldMs = 1_000
/** Maximum number of toasts: more would cover the page. */
const maxToasts = 4

const toasts = createStore<readonly Toast[]>([])
let nextId = 1

function set(next: readonly Toast[]): void {
  toasts.set(fit(next))
}

/** Removes the oldest toasts beyond the maximum: successes first, because errors stay until they are dismissed. */
function fit(all: readonly Toast[]): readonly Toast[] {
  const good = all.filter(({ tone }) => tone === 'good')
  const passed = new Set(good.slice(0, Math.max(0, all.length - maxToasts)))
  return all.filter((toast) => !passed.has(toast)).slice(-maxToasts)
}

export function dismissToast(id: number): void {
  held.delete(id)
  set(toasts.get().filter((toast) => toast.id !== id))
}

/** Reports a success; with an action, for longer. */
export function toastDone(title: string, text?: string, action?: ToastAction): void {
  const id = nextId++
  set([...toasts.get(), { id, tone: 'good', title: markControls(title), text, action }])
  const stop = action?.watch?.(() => dismissToast(id))
  const end = () => {
    if (held.has(id) && isToastShown(id)) {
      setTimeout(end, heldMs)
      return
    }
    stop?.()
    dismissToast(id)
  }
  setTimeout(end, action === undefined ? shownMs : shownWithActionMs)
}

/** Runs the newest Undo that is shown, and dismisses its toast. @returns whether there was one */
export function undoLast(): boolean {
  const last = toasts.get().findLast(({ action }) => action?.isUndo === true)
  if (last?.action === undefined) return false
  dismissToast(last.id)
  last.action.run()
  return true
}

const held = new Set<number>()

/** Sets whether a toast has the pointer or the focus: it then stays, so that users can read it and press its button. */
export function holdToast(id: number, isHeld: boolean): void {
  if (isHeld) held.add(id)
  else held.delete(id)
}

/** Reports a failure: what, why, and what to do. @returns the id of the toast */
export function toastError(title: string, error: unknown, more: Pick<Toast, 'shownIn' | 'action'> = {}): number {
  const { code } = toCairnError(error)
  const report = JSON.stringify(toCairnError(error))
  const text = markControls(explainError(error))
  const id = nextId++
  set([...toasts.get(), { id, tone: 'bad', title: markControls(title), text, code, report, ...more }])
  return id
}

/** Reports in words of the page what was not possible. Stays like an error. */
export function toastNotice(title: string, text: string): void {
  set([...toasts.get(), { id: nextId++, tone: 'bad', title, text: markControls(text) }])
}

/** Reports what the browser refused to open, with a link that opens it. Stays like an error. */
export function toastLink(title: string, text: string, link: NonNullable<Toast['link']>): void {
  set([...toasts.get(), { id: nextId++, tone: 'bad', title, text: markControls(text), link }])
}

export function isToastShown(id: number): boolean {
  return toasts.get().some((toast) => toast.id === id)
}

/** Removes the toasts that this panel also shows. */
export function dismissShownIn(place: ToastPlace): void {
  set(toasts.get().filter(({ shownIn }) => shownIn !== place))
}

/** Subscribes to changes of the toasts. */
export const watchToasts = toasts.watch

export function useToasts(): readonly Toast[] {
  return useStore(toasts)
}
