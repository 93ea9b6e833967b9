import { randomBytes } from 'node:crypto'
import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { challengeDeal } from './challenge-deal.ts'
import { findContent } from './find-content.ts'
import type { NonceSource } from './nonces.ts'
import type { PieceState, Provider } from './provider.ts'
import { provesOnChain, readChainProof } from './read-chain-proof.ts'
import type { AggregateRow, DealRow } from './store.ts'
import { changeDeal, hashToken, updateDeal } from './update-deal.ts'

/** Time limit for an answer of a provider. */
const answerMs = 15_000
/** Maximum number of offers. */
const maxTries = 6
/** Time limit of a fetch, in addition to the time for its bytes at 1 MiB/s. */
const fetchMs = 600_000
const minBytesPerMs = 1049
const maxBackoffMs = 60_000

/** Dependencies of driving a deal. */
export type Driving = {
  context: Context
  providers: readonly Provider[]
  /** Base URL that providers fetch from. */
  pullUrl: string
  nonces: NonceSource
}

/** Takes the next step of a deal: offers it, checks the provider's progress, or challenges it. */
export async function driveDeal(
  driving: Driving,
  deal: DealRow,
  aggregate: AggregateRow,
  stop: AbortSignal,
): Promise<void> {
  const { context, nonces } = driving
  const provider = driving.providers.find(({ name }) => name === deal.provider)
  if (provider === undefined) {
    const error = 'The operator no longer uses this provider'
    return updateDeal(context, deal, { state: isHeld(deal) ? 'faulted' : 'failed', error })
  }
  const signal = AbortSignal.any([stop, AbortSignal.timeout(answerMs)])
  try {
    if (isHeld(deal) && provesOnChain(provider)) await readChainProof(context, provider, deal, aggregate, signal)
    else if (isHeld(deal)) await challengeDeal({ context, nonces }, provider, deal, aggregate, signal)
    else if (deal.state === 'queued') await offerDeal(driving, provider, deal, aggregate, signal)
    else await followDeal(driving, provider, deal, aggregate, signal)
  } catch (error) {
    if (stop.aborted) return
    if (!CairnError.is(error)) throw error
    await noteTrouble(context, deal, error)
  }
}

function isHeld({ state }: DealRow): boolean {
  return state === 'kept' || state === 'proving'
}

async function offerDeal(
  { context, pullUrl }: Driving,
  provider: Provider,
  deal: DealRow,
  aggregate: AggregateRow,
  signal: AbortSignal,
): Promise<void> {
  if (deal.tries >= maxTries) {
    // The provider accepts offers but loses them.
    return updateDeal(context, deal, {
      state: 'failed',
      error: 'It never fetched the offered piece',
      token_hash: null,
    })
  }
  const content = await findContent(context.db.read, aggregate)
  if (content === undefined) {
    return updateDeal(context, deal, { state: 'failed', error: 'It is no longer needed', token_hash: null })
  }
  const token = randomBytes(32).toString('base64url')
  const isOurs = await changeDeal(context, deal, { token_hash: hashToken(token), tries: deal.tries + 1 })
  if (!isOurs) return
  const before = await context.db.read
    .selectFrom('deal')
    .select('number')
    .where('aggregate_id', '=', aggregate.id)
    .where('provider', '=', provider.name)
    .where('state', '=', 'faulted')
    .executeTakeFirst()
  // A provider must not reuse bytes that it could not prove.
  if (before !== undefined && deal.tries === 0) await provider.remove(aggregate.cid, { signal })
  const url = new URL(`/api/aggregates/${aggregate.cid}/payload`, pullUrl).href
  const said = await provider.offer(aggregate.cid, { url, token, content }, { signal })
  await noteState(context, deal, aggregate, said)
}

async function followDeal(
  { context }: Driving,
  provider: Provider,
  deal: DealRow,
  aggregate: AggregateRow,
  signal: AbortSignal,
): Promise<void> {
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
        error: null,
        token_hash: null,
      })
    case 'failed':
      return updateDeal(context, deal, { state: 'failed', error: said.reason.slice(0, 500), token_hash: null })
    case 'unknown':
      return updateDeal(context, deal, { state: 'queued', next_at: now + pollMs })
    default: {
      const payloadBytes = 32 * 2 ** aggregate.height
      if (deal.state === 'offered' && now - deal.since > fetchMs + payloadBytes / minBytesPerMs) {
        return updateDeal(context, deal, { state: 'failed', error: 'The fetch took too long', token_hash: null })
      }
      return updateDeal(context, deal, { state: 'offered', next_at: now + pollMs })
    }
  }
}

async function noteTrouble(context: Context, deal: DealRow, error: CairnError): Promise<void> {
  const { clock, config, failures } = context
  const tries = deal.tries + 1
  const about = { deal: deal.number, provider: deal.provider }
  failures.failed(`deal ${deal.provider}`, error, 'failed to process a deal', about)
  const isFinal = error.code === 'PROVIDER_FULL' || error.code === 'PIECE_TOO_LARGE' || tries >= maxTries
  const reason = `${error.code}: ${error.message}`.slice(0, 500)
  if (isFinal) return updateDeal(context, deal, { state: 'failed', error: reason, token_hash: null, tries })
  const next = clock.now() + Math.min(config.deals.pollMs * 2 ** tries, maxBackoffMs)
  return updateDeal(context, deal, { tries, next_at: next, error: reason })
}
