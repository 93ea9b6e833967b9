import { type FileLink, maxLinkFailures } from '@cairn/protocol'

/** State of a link: active, or the reason why it no longer opens. */
export type LinkState = 'active' | 'revoked' | 'expired' | 'usedUp' | 'locked'

/** Returns the state of a link. Lists of the service do not state the reason why one no longer opens. */
export function findLinkState({ state, expiresAt, opens, maxOpens, failures }: FileLink, now = Date.now()): LinkState {
  if (state === 'revoked') return 'revoked'
  if (failures >= maxLinkFailures) return 'locked'
  if (opens >= maxOpens) return 'usedUp'
  return state === 'ended' || expiresAt <= now ? 'expired' : 'active'
}
