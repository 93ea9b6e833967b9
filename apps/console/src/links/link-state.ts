import { type FileLink, maxLinkFailures } from '@cairn/protocol'

/** Why a link opens no more, or that it does. */
export type LinkState = 'active' | 'revoked' | 'expired' | 'usedUp' | 'locked'

/** Returns the state of a link with the reason for its end, which the service does not name in lists. */
export function findLinkState({ state, expiresAt, opens, maxOpens, failures }: FileLink, now = Date.now()): LinkState {
  if (state === 'revoked') return 'revoked'
  if (failures >= maxLinkFailures) return 'locked'
  if (opens >= maxOpens) return 'usedUp'
  return state === 'ended' || expiresAt <= now ? 'expired' : 'active'
}
