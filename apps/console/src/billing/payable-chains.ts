import type { ChainProfile, NetworkProfile } from '@cairn/protocol'

/** Returns the chains of a network that accept payments. */
export function payableChains({ chain, chains = chain === undefined ? [] : [chain] }: NetworkProfile): ChainProfile[] {
  return chains.filter(({ paymentContract }) => paymentContract !== undefined)
}
