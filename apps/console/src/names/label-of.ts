import type { NameState } from '@cairn/sdk'
import { shorten } from '../messages/format.ts'

/** Returns the display name of a name: its label, or the shortened name. */
export function labelOf({ label, name }: Pick<NameState, 'label' | 'name'>): string {
  return label ?? shorten(name, 10, 6)
}
