import { Slot } from 'radix-ui'
import { type ReactNode, useState } from 'react'

/**
 * Replaces react-remove-scroll inside Radix, which adds a style element that the policy of the page rejects. A rule of our style
 * sheet prevents scrolling while a modal is open, and reserves the width of the scrollbar if there is one.
 */
export function RemoveScroll({ children }: { children?: ReactNode }) {
  const [hasScrollbar] = useState(isBesideScrollbar)
  return <Slot.Root data-modal-open={hasScrollbar ? 'scrollbar' : ''}>{children}</Slot.Root>
}

/** Also true behind another modal, which has reserved the width. */
function isBesideScrollbar(): boolean {
  return innerWidth > document.documentElement.clientWidth
}
