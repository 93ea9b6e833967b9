import { CairnError, type ChallengeAnswer, proofReason, type Reason } from '@cairn/protocol'
import { uuidv7 } from '@cairn/service'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Context } from '../context.ts'
import { noReason, reasonColumns } from '../db/stored-reasons.ts'
import { type AggregateRow, findContent } from '../pieces/pieces.ts'
import type { Challenge, Provider } from '../providers/providers.ts'
import { errorColumns, noError, reasonOfError } from './error-columns.ts'
import type { NonceSource } from './nonces.ts'
import { type CheckRow, type DealRow, heldStates } from './store.ts'
import { changeDeal, updateDeal } from './update-deal.ts'

/** Number of newest answers, and of newest rows, kept per deal. */
const answersKept = 20
const checksKept = 1000
/**
 * Number of silences in a row that end a deal. The intervals of challenges give a provider as many within a period,
 * unless this service was down or offline.
 */
const maxSilences = 4
/** Errors by which a provider admits that a piece is missing or damaged. */
const admissions: ReadonlySet<string> = new Set(['PIECE_NOT_FOUND', 'PIECE_DAMAGED', 'PROOF_INVALID'])

/** Number of periods after which a provider that accepts no more challenges counts as silent. */
const maxRefusedPeriods = 2

type Outcome =
  | { outcome: 'refused'; retryAfterMs: number; reason: Reason; answer: undefined }
  | { outcome: 'proved'; reason?: never; answer: ChallengeAnswer }
  | { outcome: 'wrong' | 'silent'; reason: Reason; answer: ChallengeAnswer | undefined }

/**
 * Challenges a provider on leaves that hold content. A wrong answer ends the deal immediately. Silence is tolerated
 * until the last proof is as old as the challenge period and four challenges were not answered; until then the same
 * challenge is repeated, even after a restart, so that silence cannot select other leaves. With a challenge every half
 * period, a loss is noticed within one period.
 */
export async function challengeDeal(
  { context, nonces }: { context: Context; nonces: NonceSource },
  provider: Provider,
  deal: DealRow,
  aggregate: AggregateRow,
  signal: AbortSignal,
): Promise<void> {
  const { config, clock, db, log, metrics } = context
  const { challengeLeaves: count, challengeMs, pollMs } = config.deals
  const within = await findContent(db.read, aggregate)
  if (within === undefined) return updateDeal(context, deal, { next_at: clock.now() + challengeMs / 2 })
  const open = await openChallenge({ context, nonces }, deal, aggregate)
  if (open === undefined) return
  const askedAt = clock.now()
  const challenge = { nonce: Buffer.from(open.nonce, 'hex'), count, within }
  const asked = await ask(provider, aggregate.cid, challenge, deal, signal)
  const unprovenMs = askedAt - (deal.proven_at ?? deal.kept_at ?? deal.since)
  if (asked.outcome === 'refused' && unprovenMs < challengeMs * maxRefusedPeriods) {
    // Others challenge it too: the same challenge comes again soon, and there is no evidence against the copy.
    const pauseMs = Math.min(Math.max(asked.retryAfterMs, pollMs), challengeMs / 8)
    return updateDeal(context, deal, { next_at: clock.now() + pauseMs })
  }
  const { reason, answer } = asked
  const outcome = asked.outcome === 'refused' ? 'silent' : asked.outcome
  // A challenge that the shutdown of this service aborted is no evidence against the provider.
  if (outcome === 'silent' && signal.aborted && signal.reason?.name !== 'TimeoutError') return
  const now = clock.now()
  await noteCheck(context, deal, {
    id: uuidv7(askedAt),
    deal_number: deal.number,
    asked_at: askedAt,
    outcome,
    ...(reason === undefined ? noReason : reasonColumns(reason)),
    nonce: open.nonce,
    nonce_source: open.source,
    leaf_count: count,
    answer: answer === undefined ? null : JSON.stringify(answer),
  })
  metrics.possessionChecks.inc({ outcome })
  const twin = answer === undefined ? undefined : await findTwin(context, deal, answer.provider)
  if (outcome === 'proved' && twin !== undefined) {
    // Not faulted: removing it would also remove it for the other deal.
    const error = errorColumns(proofReason('PROVIDER_KEY_SHARED', { provider: twin.provider }))
    log.error({ deal: deal.number, provider: deal.provider, twin: twin.provider }, 'two providers have the same key')
    return updateDeal(context, deal, { state: 'failed', ...error })
  }
  if (reason === undefined) {
    await updateDeal(context, deal, {
      state: 'proving',
      proven_at: now,
      next_at: now + challengeMs / 2,
      proofs: deal.proofs + 1,
      provider_key: answer?.provider ?? null,
      tries: 0,
      ...noError,
      challenge_nonce: null,
      challenge_source: null,
      silent_since: null,
    })
    return
  }
  log.warn(
    { deal: deal.number, provider: deal.provider, piece: aggregate.cid, reason: reason.reason },
    'provider did not return a proof',
  )
  const isLost = outcome === 'wrong' || (unprovenMs >= challengeMs && deal.tries + 1 >= maxSilences)
  await updateDeal(context, deal, {
    ...errorColumns(reason),
    silent_since: outcome === 'silent' ? (deal.silent_since ?? askedAt) : null,
    ...(isLost
      ? { state: 'faulted', faults: deal.faults + 1 }
      : { next_at: now + challengeMs / 8, tries: deal.tries + 1 }),
  })
}

/**
 * Returns the open challenge, or creates one and stores it before the provider receives it. Undefined when another
 * replica changed the deal meanwhile.
 */
async function openChallenge(
  { context, nonces }: { context: Context; nonces: NonceSource },
  deal: DealRow,
  aggregate: AggregateRow,
): Promise<{ nonce: string; source: string } | undefined> {
  if (deal.challenge_nonce !== null && deal.challenge_source !== null) {
    return { nonce: deal.challenge_nonce, source: deal.challenge_source }
  }
  const drawn = await nonces.next(deal.number, aggregate.cid)
  const nonce = bytesToHex(drawn.nonce)
  const isOurs = await changeDeal(context, deal, { challenge_nonce: nonce, challenge_source: drawn.source })
  return isOurs ? { nonce, source: drawn.source } : undefined
}

/** Finds an older copy of the same aggregate that the same key proves under another name. */
function findTwin({ db }: Context, deal: DealRow, key: string): Promise<{ provider: string } | undefined> {
  return db.read
    .selectFrom('deal')
    .select('provider')
    .where('aggregate_id', '=', deal.aggregate_id)
    .where('number', '<', deal.number)
    .where('state', 'in', heldStates)
    .where('provider_key', '=', key)
    .limit(1)
    .executeTakeFirst()
}

async function ask(
  provider: Provider,
  piece: string,
  challenge: Challenge,
  deal: DealRow,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const answer = await provider.challenge(piece, challenge, { signal })
    if (deal.provider_key !== null && answer.provider !== deal.provider_key) {
      // Another machine at the same URL: it needs a provider name of its own.
      return { outcome: 'wrong', reason: proofReason('PROVIDER_KEY_CHANGED'), answer }
    }
    return { outcome: 'proved', answer }
  } catch (error) {
    if (!CairnError.is(error)) throw error
    const failed = { reason: reasonOfError(error), answer: undefined }
    if (error.code === 'RATE_LIMITED') {
      return { outcome: 'refused', retryAfterMs: (error.retryAfterSeconds ?? 0) * 1000, ...failed }
    }
    return { outcome: admissions.has(error.code) ? 'wrong' : 'silent', ...failed }
  }
}

/** Stores the result of a challenge and deletes old ones. */
export async function noteCheck({ db }: Context, deal: DealRow, row: CheckRow): Promise<void> {
  await db.write(async (trx) => {
    await trx.insertInto('possession_check').values(row).execute()
    const nth = (offset: number) =>
      trx
        .selectFrom('possession_check')
        .select('id')
        .where('deal_number', '=', deal.number)
        .orderBy('id', 'desc')
        .offset(offset)
        .limit(1)
    const oldAnswer = await nth(answersKept).executeTakeFirst()
    if (oldAnswer !== undefined) {
      await trx
        .updateTable('possession_check')
        .set({ answer: null })
        .where('deal_number', '=', deal.number)
        .where('id', '<=', oldAnswer.id)
        .where('answer', 'is not', null)
        .execute()
    }
    const oldRow = await nth(checksKept).executeTakeFirst()
    if (oldRow !== undefined) {
      await trx
        .deleteFrom('possession_check')
        .where('deal_number', '=', deal.number)
        .where('id', '<=', oldRow.id)
        .execute()
    }
  })
}
