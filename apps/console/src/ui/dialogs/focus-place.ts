/** Parts of a page in which keyboard users find their place again. */
const parts = 'li, ol, ul, form, section'

/** Returns the parts of the content around an element, the nearest first. Call it while the element is in the page. */
export function partsAround(element: Element): Element[] {
  const content = document.getElementById('content')
  const found: Element[] = []
  for (let one = element.closest(parts); one !== null; one = one.parentElement?.closest(parts) ?? null) {
    if (content?.contains(one) === true) found.push(one)
  }
  return found
}

/** Moves the focus to the nearest part that is still in the page, or to the content. */
export function focusPart(around: readonly Element[], options?: FocusOptions): void {
  const part = around.find((one) => one.isConnected && one.checkVisibility()) ?? document.getElementById('content')
  if (!(part instanceof HTMLElement)) return
  if (!part.hasAttribute('tabindex')) {
    part.tabIndex = -1
    // A later click in it must not focus it.
    part.addEventListener('blur', () => part.removeAttribute('tabindex'), { once: true })
  }
  part.focus(options)
}
