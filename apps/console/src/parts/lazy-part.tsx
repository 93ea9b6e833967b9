import { CairnError } from '@cairn/sdk'
import { type ComponentType, createElement, lazy, useEffect, useSyncExternalStore } from 'react'
import { logFailure } from '../errors/log-failure.ts'
import { messages } from '../messages/messages.ts'
import { ErrorState } from '../ui/states/ErrorState.tsx'
import { isToastShown, toastError, watchToasts } from '../ui/toasts/toast-store.ts'
import { firstPaint } from './first-paint.ts'
import { loadPart, PartNotLoaded } from './load-part.ts'

/** Shown instead of a part that cannot be loaded: an error in its place, a toast, or another component. */
type Instead<Props> = 'error' | 'toast' | ComponentType<Props>

/**
 * Makes a component of a part that loads when it is first rendered, for use below a `Suspense`. If it cannot be loaded, an
 * error lets users try again. If they dismiss the error, a part with `onClose` is closed, so that it can be opened again.
 * @param load returns the component of the part
 * @param instead `toast` for parts without a place of their own, such as dialogs and buttons. Defaults to `error`
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  instead: Instead<Props> = 'error',
): ComponentType<Props> {
  const listeners = new Set<() => void>()
  let wasTried = false
  const start = () => lazy(async () => ({ default: await loadOrExplain() }))
  const loadOrExplain = async (): Promise<ComponentType<Props>> => {
    try {
      return await loadPart(load)
    } catch (error) {
      if (!(error instanceof PartNotLoaded || error instanceof TypeError)) throw error
      // The service answers: either the browser repeats the failure, which it keeps for a page, or the console was updated.
      if (wasTried && error instanceof TypeError) location.reload()
      logFailure('A part of the page was not loaded', error)
      wasTried = true
      const shown = new CairnError('NETWORK_ERROR', { cause: error })
      if (instead === 'error') {
        return () => <ErrorState title={messages.shell.partNotLoaded} error={shown} onRetry={retry} />
      }
      if (instead !== 'toast') return instead
      const id = toastNotLoaded(shown, retry)
      return (props) => useClosed(id, props, reset)
    }
  }
  const reset = () => {
    part = start()
  }
  const retry = () => {
    reset()
    for (const listener of listeners) listener()
  }
  let part = start()
  const watch = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return function Part(props: Props) {
    return createElement(
      useSyncExternalStore(watch, () => part),
      props,
    )
  }
}

/** Makes a component of a part, without a place of its own, that the first picture of a page does not need. */
export function latePart<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return lazyPart(() => firstPaint().then(load), 'toast')
}

/** The parts that one toast offers to load again. */
const notLoaded = new Set<() => void>()
let toast: number | undefined

function toastNotLoaded(error: CairnError, retry: () => void): number {
  notLoaded.add(retry)
  if (toast !== undefined && isToastShown(toast)) return toast
  const run = () => {
    const retries = [...notLoaded]
    notLoaded.clear()
    for (const again of retries) again()
  }
  toast = toastError(messages.shell.partNotLoaded, error, { action: { label: messages.shell.retry, run } })
  return toast
}

/**
 * Closes a part that was not loaded once its toast is dismissed. A retry also dismisses the toast, but replaces this component
 * first.
 * @param reset makes the next opening load the part again
 */
function useClosed(id: number, { onClose }: { onClose?: () => unknown }, reset: () => void): undefined {
  const isShown = useSyncExternalStore(watchToasts, () => isToastShown(id))
  useEffect(() => {
    if (isShown || onClose === undefined) return
    onClose()
    reset()
  }, [isShown, onClose, reset])
}
