import { challengeDeal } from './challenge-deal.ts'
import type { DealVisit } from './drive-deal.ts'
import { provesOnChain, readChainProof } from './read-chain-proof.ts'

/** Has the provider of a held deal prove possession: reads its proof from the chain, or challenges it. */
export function proveDeal({ driving, provider, deal, aggregate, signal }: DealVisit): Promise<void> {
  return provesOnChain(provider)
    ? readChainProof(driving.context, provider, deal, aggregate, signal)
    : challengeDeal(driving, provider, deal, aggregate, signal)
}
