import type { RateLimiter } from '@cairn/service'
import { nameAsker } from '@cairn/service'

/** Signatures for bearers that are looked at in a minute for one IP address: each costs milliseconds for each open text. */
export const signaturesPerMinute = 300

/** Counts a signature that is about to be looked at. @throws CairnError RATE_LIMITED */
export function countSignature(rates: RateLimiter, ip: string): void {
  rates.take(`signature ${nameAsker(ip)}`, signaturesPerMinute)
}
