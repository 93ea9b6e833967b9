import { randomBytes } from 'node:crypto'
import { proofReason } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { readFacts } from '../db/stored-reasons.ts'
import { type AggregateRow, findContent } from '../pieces/pieces.ts'
import type { PieceState } from '../providers/providers.ts'
import { type DealVisit, maxTries } from './drive-deal.ts'
import { errorColumns, noError } from './error-columns.ts'
import { type DealRow, findDealsOf, isProven } from './store.ts'
import { changeDeal, hashToken, updateDeal } from './update-deal.ts'

/** Time limit of a fetch, in addition to the time for its bytes at 1 MiB/s. */
const fetchMs = 600_000
const minBytesPerMs = 1049

/** Offers a queued deal to its provider, which then fetches the payload with a new token. */
export async function offerDeal({
  driving: { context, pullUrl },
  provider,
  deal,
  aggregate,
  signal,
}: DealVisit): Promise<void> {
  if (deal.tries >= maxTries) {
    // The provider accepts offers but loses them.
    return updateDeal(context, deal, {
      state: 'failed',
      ...errorColumns(proofReason('PROVIDER_NEVER_FETCHED')),
      token_hash: null,
    })
  }
  const content = await findContent(context.db.read, aggregate)
  if (content === undefined) {
    const error = errorColumns(proofReason('DEAL_NOT_NEEDED'))
    return updateDeal(context, deal, { state: 'failed', ...error, token_hash: null })
  }
  const token = randomBytes(32).toString('base64url')
  const isOurs = await changeDeal(context, deal, { token_hash: hashToken(token), tries: deal.tries + 1 })
  if (!isOurs) return
  const mustFetch = deal.tries === 0 && (await mustFetchAll(context, provider.name, aggregate))
  if (mustFetch) await provider.remove(aggregate.cid, { signal })
  const url = new URL(`/api/aggregates/${aggregate.cid}/payload`, pullUrl).href
  const said = await provider.offer(aggregate.cid, { url, token, content }, { signal })
  await noteState(context, deal, aggregate, said)
}

/**
 * Whether a provider must not reuse bytes that it could not prove. After mere silence they may be the last copy: if no
 * other provider proves one, the next challenge decides, and the bytes go only if that is not answered either. Nothing
 * speaks against the copy of a provider that was only removed from the configuration.
 */
async function mustFetchAll({ db }: Context, provider: string, aggregate: AggregateRow): Promise<boolean> {
  const deals = await findDealsOf(db.read, aggregate.id)
  const loss = deals.findLast((deal) => deal.provider === provider && deal.state === 'faulted')
  if (loss === undefined || readFacts(loss.error_facts)?.code === 'PROVIDER_REMOVED') return false
  const wasProven = loss.silent_since !== null && loss.proofs > 0
  return !wasProven || deals.some(isProven)
}

/** Asks the provider how far it got with the payload. */
export async function followDeal({
  driving: { context },
  provider,
  deal,
  aggregate,
  signal,
}: DealVisit): Promise<void> {
  await noteState(context, deal, aggregate, await provider.status(aggregate.cid, { signal }))
}

async function noteState(context: Context, deal: DealRow, aggregate: AggregateRow, said: PieceState): Promise<void> {
  const now = context.clock.now()
  const { pollMs } = context.config.deals
  switch (said.state) {
    case 'kept':
      return updateDeal(context, deal, {
        state: 'kept',
        kept_at: now,
        next_at: now,
        tries: 0,
        ...noError,
        token_hash: null,
      })
    case 'failed':
      return updateDeal(context, deal, { state: 'failed', ...errorColumns(said), token_hash: null })
    case 'unknown':
      return updateDeal(context, deal, { state: 'queued', next_at: now + pollMs })
    default: {
      const payloadBytes = 32 * 2 ** aggregate.height
      if (deal.state === 'offered' && now - deal.since > fetchMs + payloadBytes / minBytesPerMs) {
        const error = errorColumns(proofReason('PROVIDER_FETCH_SLOW'))
        return updateDeal(context, deal, { state: 'failed', ...error, token_hash: null })
      }
      return updateDeal(context, deal, { state: 'offered', next_at: now + pollMs })
    }
  }
}
