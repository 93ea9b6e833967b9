import type { RateLimiter } from '@cairn/service'
import { rateLimitKey } from '@cairn/service'

/** Maximum number of bearer signatures verified per minute and IP address: each costs milliseconds per open text. */
export const signaturesPerMinute = 300

/** Counts a signature before it is verified. @throws CairnError RATE_LIMITED */
export function countSignature(rates: RateLimiter, ip: string): void {
  rates.consume(`signature ${rateLimitKey(ip)}`, signaturesPerMinute)
}
