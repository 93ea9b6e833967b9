import { rateLimitKey } from '@cairn/service'
import type { Context } from '../../context.ts'

/**
 * Maximum number of times per minute that clients of one IP address may make this node query chains, which operators pay for.
 * Addresses cost nothing, so a limit per address would limit no one.
 */
const chainUsesPerMinute = {
  /** Evaluations of conditions. */
  evaluation: 100,
  /** Saved or changed conditions, whose contracts are looked up. Owners of many files save as many. */
  conditions: 300,
}

/** Counts a use of chains before it begins. @throws CairnError RATE_LIMITED */
export function countChainUse(
  { rates }: Pick<Context, 'rates'>,
  use: keyof typeof chainUsesPerMinute,
  ip: string,
): void {
  rates.consume(`${use} ${rateLimitKey(ip)}`, chainUsesPerMinute[use])
}
