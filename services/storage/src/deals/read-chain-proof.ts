import { CairnError, type Reason } from '@cairn/protocol'
import { uuidv7 } from '@cairn/service'
import type { Context } from '../context.ts'
import { noReason, reasonColumns } from '../db/stored-reasons.ts'
import type { AggregateRow } from '../pieces/pieces.ts'
import type { ChainProof, Provider } from '../providers/providers.ts'
import { noteCheck } from './challenge-deal.ts'
import { errorColumns, noError, reasonOfError } from './error-columns.ts'
import type { CheckRow, DealRow } from './store.ts'
import { updateDeal } from './update-deal.ts'

/** Interval of reading the chain: short enough to see every proof while its epoch can still be read. */
const recheckMs = 600_000
/** How long an unreadable chain does not count against the provider. */
const maxUnreadMs = 3 * 86_400_000
const noNonce = '0'.repeat(64)

/** A provider with proofs on a chain. */
export type ChainProvider = Provider & Required<Pick<Provider, 'lastProof'>>

/** Whether a provider's proofs are read from a chain. */
export function provesOnChain(provider: Provider): provider is ChainProvider {
  return provider.lastProof !== undefined
}

/**
 * Records the newest proof that a provider submitted to its chain, instead of a challenge: there is no answer, and
 * the nonce is the public transaction. A missed proving window ends the deal, because the chain counts it as a fault
 * too. A piece that the chain no longer shows was reorganised out if it was never proven, and lost otherwise.
 */
export async function readChainProof(
  context: Context,
  provider: ChainProvider,
  deal: DealRow,
  aggregate: AggregateRow,
  signal: AbortSignal,
): Promise<void> {
  const { clock, config, log, metrics } = context
  const next_at = clock.now() + Math.min(config.deals.challengeMs / 2, recheckMs)
  const note = async (check: Omit<CheckRow, 'id' | 'deal_number' | 'asked_at' | 'answer'>) => {
    const asked_at = clock.now()
    await noteCheck(context, deal, {
      id: uuidv7(asked_at),
      deal_number: deal.number,
      asked_at,
      answer: null,
      ...check,
    })
    metrics.possessionChecks.inc({ outcome: check.outcome })
  }
  const lose = async (outcome: 'wrong' | 'silent', reason: Reason): Promise<void> => {
    log.warn(
      { deal: deal.number, provider: deal.provider, piece: aggregate.cid, reason: reason.reason },
      'provider did not return a proof',
    )
    const source = { nonce: noNonce, nonce_source: 'the provider’s chain', leaf_count: 0 }
    await note({ outcome, ...reasonColumns(reason), ...source })
    await updateDeal(context, deal, { state: 'faulted', faults: deal.faults + 1, ...errorColumns(reason) })
  }

  let proof: ChainProof
  try {
    const known = { keptAt: deal.kept_at ?? deal.since, provenAt: deal.proven_at }
    proof = await provider.lastProof(aggregate.cid, known, { signal })
  } catch (error) {
    if (!CairnError.is(error)) throw error
    const reason = reasonOfError(error)
    if (error.code === 'PIECE_NOT_FOUND') {
      if (deal.proven_at !== null) return lose('wrong', reason)
      await updateDeal(context, deal, { state: 'offered', next_at: clock.now(), ...errorColumns(reason) })
      return
    }
    // A service that is shutting down reports nothing.
    if (signal.aborted && signal.reason?.name !== 'TimeoutError') return
    if (clock.now() - (deal.proven_at ?? deal.kept_at ?? deal.since) >= maxUnreadMs) return lose('silent', reason)
    await updateDeal(context, deal, { next_at, tries: deal.tries + 1, ...errorColumns(reason) })
    return
  }
  const { newest, missed } = proof
  if (newest !== undefined) {
    const { transaction: nonce, source: nonce_source, leafCount: leaf_count } = newest
    await note({ outcome: 'proved', ...noReason, nonce, nonce_source, leaf_count })
  }
  if (missed !== undefined) return lose('silent', missed)
  await updateDeal(context, deal, {
    next_at,
    tries: 0,
    ...noError,
    ...(newest === undefined ? {} : { state: 'proving', proven_at: newest.provenAt, proofs: deal.proofs + 1 }),
  })
}
