import { Slot } from 'radix-ui'
import { type ReactNode, useState } from 'react'

/**
 * Replaces react-remove-scroll inside Radix, which writes a style element that our policy rejects. A rule of our own
 * style sheet stops the page from scrolling while a modal is open, and keeps the room of its scrollbar if it has one.
 */
export function RemoveScroll({ children }: { children?: ReactNode }) {
  const [hasScrollbar] = useState(isBesideScrollbar)
  return <Slot.Root data-modal-open={hasScrollbar ? 'scrollbar' : ''}>{children}</Slot.Root>
}

/** Also behind another modal, which keeps the room. */
function isBesideScrollbar(): boolean {
  return innerWidth > document.documentElement.clientWidth
}
