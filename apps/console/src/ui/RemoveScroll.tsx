import { Slot } from 'radix-ui'
import type { ReactNode } from 'react'

/**
 * Replaces react-remove-scroll inside Radix, which writes a style element that our policy rejects. A rule of our own
 * style sheet stops the page from scrolling while a modal is open.
 */
export function RemoveScroll({ children }: { children?: ReactNode }) {
  return <Slot.Root data-modal-open="">{children}</Slot.Root>
}
