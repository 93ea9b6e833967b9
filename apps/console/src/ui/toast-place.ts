import { type RefObject, useEffect, useLayoutEffect, useState } from 'react'
import { dismissToast, type Toast } from './toast-store.ts'

/** Where the toasts of a phone are: at the top, or at the bottom while that leaves more free. */
export type ToastPlace = 'top' | 'bottom'

const controls = 'a, button, input, select, textarea, summary'
/** What is used while a sheet or a selection is open, besides what has the focus. */
const nearby = '[role=dialog] > header button, [role=dialog] > footer button, [data-bulk-bar] button'
/** Bars at the edges of the window, in px: where the toasts of a phone begin, as their classes say. */
const edge = { top: 72, bottom: 80 }

/** Returns the place where the toasts cover neither what has the focus nor, if that can be, the buttons of a sheet. */
export function useToastPlace(region: RefObject<HTMLElement | null>, toasts: readonly Toast[]): ToastPlace {
  const [place, setPlace] = useState<ToastPlace>('top')
  // biome-ignore lint/correctness/useExhaustiveDependencies: other toasts have another height.
  useLayoutEffect(() => {
    const place = () => {
      if (region.current !== null) setPlace(choosePlace(region.current))
    }
    const move = ({ target }: FocusEvent) => {
      if (target instanceof Node && region.current?.contains(target) === false) place()
    }
    place()
    addEventListener('focusin', move)
    return () => removeEventListener('focusin', move)
  }, [toasts])
  return place
}

function choosePlace(region: HTMLElement): ToastPlace {
  const { height } = region.getBoundingClientRect()
  const focused = document.activeElement
  const others = [...document.querySelectorAll(nearby)].filter((one) => one !== focused)
  const cost = (top: number) => {
    const isUnder = (one: Element) => {
      const box = one.getBoundingClientRect()
      return box.height > 0 && box.top < top + height && top < box.bottom
    }
    const ofFocus = focused?.matches(controls) === true && isUnder(focused) ? others.length + 1 : 0
    return ofFocus + others.filter(isUnder).length
  }
  return cost(innerHeight - edge.bottom - height) < cost(edge.top) ? 'bottom' : 'top'
}

/** Dismisses a success that lies over what gets the focus: it was read out already. */
export function useUncoveredFocus(region: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const uncover = ({ target }: FocusEvent) => {
      const toasts = region.current
      if (!(target instanceof Element) || !target.matches(controls) || toasts?.contains(target) !== false) return
      const { left, right, top, bottom } = target.getBoundingClientRect()
      for (const toast of toasts.querySelectorAll<HTMLElement>('[data-passing]')) {
        const box = toast.getBoundingClientRect()
        const isOver = box.left < right && left < box.right && box.top < bottom && top < box.bottom
        if (isOver) dismissToast(Number(toast.dataset['passing']))
      }
    }
    addEventListener('focusin', uncover)
    return () => removeEventListener('focusin', uncover)
  }, [region])
}
