import { useEffect } from 'react'
import { focusPart, partsAround } from '../ui/dialogs/focus-place.ts'

/** Time in ms by which a dialog that closes has returned the focus. */
const returnMs = 100

/**
 * Keeps the position of keyboard users when the focused element is removed, such as the button of a revoked key: the focus moves
 * to what remains around it instead of the top of the page. Dialogs keep the focus within them.
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
    // Users moved the focus away themselves, for example by a click next to the element.
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
