import type { ChainProfile, NetworkProfile } from '@cairn/protocol'

/** The chains of a network that storage can be paid on. */
export function payableChains({ chain, chains = chain === undefined ? [] : [chain] }: NetworkProfile): ChainProfile[] {
  return chains.filter(({ paymentContract }) => paymentContract !== undefined)
}
