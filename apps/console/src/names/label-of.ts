import type { NameState } from '@cairn/sdk'
import { shorten } from '../words/format.ts'

/** What a name is called on the page: its label, or the name itself, short. */
export function labelOf({ label, name }: Pick<NameState, 'label' | 'name'>): string {
  return label ?? shorten(name, 10, 6)
}
