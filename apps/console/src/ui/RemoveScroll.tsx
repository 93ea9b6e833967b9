import { Slot } from 'radix-ui'
import type { ReactNode } from 'react'

/**
 * In the place of react-remove-scroll inside Radix: that one writes a style element, which our policy refuses. The page is
 * kept still by a rule of our own style sheet while something modal is open.
 */
export function RemoveScroll({ children }: { children?: ReactNode }) {
  return <Slot.Root data-modal-open="">{children}</Slot.Root>
}
