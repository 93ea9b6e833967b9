import type { Deal } from '@cairn/protocol'
import { readFacts } from '../db/stored-reasons.ts'
import type { DealRow } from '../deals/deals.ts'
import type { AggregateRow } from '../pieces/pieces.ts'
import type { Provider } from '../providers/providers.ts'

/** Describes a provider's deal for users. */
export function describeDeal(providers: readonly Provider[], deal: DealRow, aggregate: AggregateRow): Deal {
  const provider = providers.find(({ name }) => name === deal.provider)
  const isHeld = deal.state === 'kept' || deal.state === 'proving'
  return {
    id: deal.number,
    provider: {
      name: deal.provider,
      kind: provider?.kind ?? 'cairn',
      key: deal.provider_key,
      url: provider?.url ?? null,
    },
    state: deal.state,
    since: deal.since,
    keptSince: deal.kept_at,
    provenAt: deal.proven_at,
    proofs: deal.proofs,
    faults: deal.faults,
    nextCheckAt: isHeld ? deal.next_at : null,
    silentSince: deal.silent_since,
    retrievalUrl: isHeld ? (provider?.retrievalUrl(aggregate.cid) ?? null) : null,
    error: deal.error,
    errorFacts: readFacts(deal.error_facts),
  }
}
