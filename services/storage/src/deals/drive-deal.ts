import { CairnError, proofReason } from '@cairn/protocol'
import type { Context } from '../context.ts'
import type { AggregateRow } from '../pieces/pieces.ts'
import type { Provider } from '../providers/providers.ts'
import type { AnswerLimit } from './answer-limit.ts'
import { errorColumns, reasonOfError } from './error-columns.ts'
import type { NonceSource } from './nonces.ts'
import { type activeStates, type DealRow, isHeld } from './store.ts'
import { updateDeal } from './update-deal.ts'

/** Maximum number of offers. */
export const maxTries = 6
const maxBackoffMs = 60_000

/** Dependencies of driving a deal. */
export type Driving = {
  context: Context
  providers: readonly Provider[]
  /** Base URL that providers fetch from. */
  pullUrl: string
  nonces: NonceSource
}

/** A deal whose next step is due. The signal ends the step. */
export type DealVisit = {
  readonly driving: Driving
  readonly provider: Provider
  readonly deal: DealRow
  readonly aggregate: AggregateRow
  readonly signal: AbortSignal
}

/** The next step of a deal, by its state. */
export type DealSteps = Readonly<Record<(typeof activeStates)[number], (visit: DealVisit) => Promise<void>>>

/** Takes the next step of a deal. */
export async function driveDeal(
  driving: Driving,
  steps: DealSteps,
  deal: DealRow,
  aggregate: AggregateRow,
  { stop, limit }: { stop: AbortSignal; limit: AnswerLimit },
): Promise<void> {
  const { context } = driving
  const provider = driving.providers.find(({ name }) => name === deal.provider)
  if (provider === undefined) {
    const error = errorColumns(proofReason('PROVIDER_REMOVED'))
    return updateDeal(context, deal, { state: isHeld(deal) ? 'faulted' : 'failed', ...error })
  }
  const { state } = deal
  // Only active deals are due.
  if (state === 'failed' || state === 'faulted' || state === 'ended') return
  const late = AbortSignal.timeout(limit.next())
  try {
    await steps[state]({ driving, provider, deal, aggregate, signal: AbortSignal.any([stop, late]) })
  } catch (error) {
    if (stop.aborted) return
    if (!CairnError.is(error)) throw error
    await noteTrouble(context, deal, error)
  } finally {
    limit.note(!late.aborted)
  }
}

async function noteTrouble(context: Context, deal: DealRow, error: CairnError): Promise<void> {
  const { clock, config, failures } = context
  const tries = deal.tries + 1
  const about = { deal: deal.number, provider: deal.provider }
  failures.failed(`deal ${deal.provider}`, error, 'failed to process a deal', about)
  const isFinal = error.code === 'PROVIDER_FULL' || error.code === 'PIECE_TOO_LARGE' || tries >= maxTries
  const reason = errorColumns(reasonOfError(error))
  if (isFinal) return updateDeal(context, deal, { state: 'failed', ...reason, token_hash: null, tries })
  const next = clock.now() + Math.min(config.deals.pollMs * 2 ** tries, maxBackoffMs)
  return updateDeal(context, deal, { tries, next_at: next, ...reason })
}
