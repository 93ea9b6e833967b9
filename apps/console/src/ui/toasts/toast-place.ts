import { type RefObject, useEffect, useLayoutEffect, useState } from 'react'
import { dismissToast, type Toast } from './toast-store.ts'

/** Where the toasts of a phone are: at an edge of the window, or between other parts, at its `--toasts-top`. */
export type ToastPlace = 'top' | 'bottom' | 'between'

const controls = 'a, button, input, select, textarea, summary'
/** Elements that are used or read while a sheet or a selection is open, besides the one with the focus. */
const nearby = 'header h2, header button, header a, footer :is(a, button, input, select)'
/** Distance in px from the edges of the window at which toasts start on a phone, as in their classes. */
const edge = { top: 72, bottom: 80 }
/** Distance in px between positions to try, and around them. */
const step = 8

/** Returns a place where the toasts cover neither the focused element nor, if possible, the title and controls of a sheet. */
export function useToastPlace(region: RefObject<HTMLElement | null>, toasts: readonly Toast[]): ToastPlace {
  const [place, setPlace] = useState<ToastPlace>('top')
  useLayoutEffect(() => {
    if (toasts.length === 0) return
    /** The content of a sheet may arrive later, and makes it higher. */
    const sizes = new ResizeObserver(() => update())
    let seen: Element | undefined
    const update = () => {
      const sheet = [...document.querySelectorAll('[role=dialog]')].at(-1)
      if (sheet !== seen) {
        sizes.disconnect()
        if (sheet !== undefined) sizes.observe(sheet)
        seen = sheet
      }
      if (region.current === null) return
      const next = choosePlace(region.current, sheet)
      region.current.style.setProperty('--toasts-top', `${next.top}px`)
      setPlace(next.place)
    }
    const move = ({ target }: Event) => {
      if (target instanceof Node && region.current?.contains(target) !== true) update()
    }
    update()
    // A sheet is in its final position after its animation.
    const moves = ['focusin', 'animationend']
    for (const one of moves) document.addEventListener(one, move)
    addEventListener('resize', update)
    return () => {
      sizes.disconnect()
      for (const one of moves) document.removeEventListener(one, move)
      removeEventListener('resize', update)
    }
  }, [region, toasts])
  return place
}

function choosePlace(region: HTMLElement, sheet: Element | undefined): { place: ToastPlace; top: number } {
  const { height } = region.getBoundingClientRect()
  const focused = document.activeElement
  const important = [...(sheet?.querySelectorAll(nearby) ?? document.querySelectorAll('[data-bulk-bar] button'))]
  const others = [...(sheet?.querySelectorAll(controls) ?? [])]
  const weigh = (elements: readonly Element[], weight: number) =>
    elements.map((one) => ({ box: one.getBoundingClientRect(), weight })).filter(({ box }) => box.height > 0)
  const parts = [
    ...weigh(others, 1),
    ...weigh(important, 1_000),
    ...(focused?.matches(controls) === true ? weigh([focused], 1_000_000) : []),
  ]
  const cost = (top: number) =>
    parts.reduce((sum, { box, weight }) => (box.top < top + height && top < box.bottom ? sum + weight : sum), 0)
  const lowest = innerHeight - edge.bottom - height
  let best: { place: ToastPlace; top: number } = { place: 'top', top: edge.top }
  let leastCost = cost(edge.top)
  const offer = (place: ToastPlace, top: number) => {
    if (leastCost === 0) return
    const next = cost(top)
    if (next >= leastCost) return
    leastCost = next
    best = { place, top }
  }
  offer('bottom', lowest)
  if (sheet !== undefined) {
    for (let top = innerHeight - height - step; top >= step; top -= step) offer('between', top)
  }
  return best
}

/** Dismisses a success message that would cover the element that receives the focus: screen readers have announced it already. */
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
