import type { Context } from '../../context.ts'
import type { KeyRow } from '../store.ts'

/** How long the last change of a record may take to reach the other nodes, in ms. */
export function settlesIn({ config, clock }: Context, { updated_at }: KeyRow): number {
  return Math.max(0, updated_at + config.changeMs - clock.now())
}
