import { useEffect } from 'react'
import { focusPart, partsAround } from '../ui/focus-place.ts'

/** Time in ms by which a dialog that closes has returned the focus. */
const returnMs = 100

/**
 * Keeps the place of keyboard users when what has the focus is removed, such as the button of a key that was revoked: the focus
 * goes to what is left around it, not to the top of the page. Dialogs keep the focus of what is removed from them.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let focused: Element | undefined
    let around: readonly Element[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const isLost = () => document.activeElement === document.body
    const note = ({ target }: FocusEvent) => {
      focused = target instanceof Element ? target : undefined
      around = focused === undefined ? [] : partsAround(focused)
    }
    // Users left it themselves, for example by a click next to it.
    const leave = () =>
      queueMicrotask(() => {
        if (focused?.isConnected === true && isLost()) focused = undefined
      })
    const watch = new MutationObserver(() => {
      if (focused === undefined || focused.isConnected || !isLost()) return
      focused = undefined
      timer = setTimeout(() => {
        if (isLost() && document.querySelector('[role=dialog]') === null) focusPart(around, { preventScroll: true })
      }, returnMs)
    })
    addEventListener('focusin', note)
    addEventListener('focusout', leave)
    watch.observe(document.body, { childList: true, subtree: true })
    return () => {
      removeEventListener('focusin', note)
      removeEventListener('focusout', leave)
      watch.disconnect()
      clearTimeout(timer)
    }
  }, [])
}
