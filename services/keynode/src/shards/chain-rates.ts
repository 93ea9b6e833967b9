import { rateLimitKey } from '@cairn/service'
import type { Context } from '../context.ts'

/**
 * How often per minute clients of one IP address may make this node ask chains, which operators pay for. Addresses cost
 * nothing, so a limit for each of them alone limits no one.
 */
const chainUsesPerMinute = {
  /** Evaluations of conditions. */
  evaluation: 100,
  /** Saved or changed conditions, whose contracts are looked for. Owners of many files save as many. */
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
