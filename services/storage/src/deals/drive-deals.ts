import { sql } from 'kysely'
import { createAnswerLimit } from './answer-limit.ts'
import { type DealSteps, type Driving, driveDeal } from './drive-deal.ts'
import { type DealRow, heldStates, isHeld } from './store.ts'

const dealsInOneRound = 400
/** Maximum number of concurrent deals per provider. */
const atOnce = 4
/** Time after which a round with a provider starts nothing new. */
const roundMs = 30_000

/** A round with one provider; undefined selects deals whose provider was removed from the configuration. */
type DealRound = { readonly driving: Driving; readonly provider: string | undefined; readonly signal: AbortSignal }

/** Takes the due steps of a round. */
export async function driveDeals({ driving, provider, signal }: DealRound, steps: DealSteps): Promise<void> {
  const { context } = driving
  const { db, failures } = context
  const due = await findDue(driving, provider, dealsInOneRound)
  if (due.length === 0) return
  const ids = [...new Set(due.map((deal) => deal.aggregate_id))]
  const rows = await db.read.selectFrom('aggregate').selectAll().where('id', 'in', ids).execute()
  const aggregates = new Map(rows.map((row) => [row.id, row]))
  const end = performance.now() + roundMs
  const limit = createAnswerLimit()
  const workOff = async (): Promise<void> => {
    for (let deal = due.shift(); deal !== undefined && !signal.aborted; deal = due.shift()) {
      const aggregate = aggregates.get(deal.aggregate_id)
      if (aggregate === undefined) continue
      try {
        await driveDeal(driving, steps, deal, aggregate, { stop: signal, limit })
      } catch (error) {
        if (signal.aborted) return
        failures.failed('deals', error, 'failed to process a deal', { deal: deal.number })
      }
      if (performance.now() > end) return
    }
  }
  await Promise.all(Array.from({ length: atOnce }, workOff))
}

/** Whether a step with one provider is due. */
export async function isDealDue(driving: Driving, name: string): Promise<boolean> {
  return (await findDue(driving, name, 1)).length > 0
}

/**
 * Finds the due deals of a provider. More challenges than the rate of the provider admits stay due, and do not take the
 * places of offers.
 */
async function findDue(driving: Driving, name: string | undefined, maxDeals: number): Promise<DealRow[]> {
  const left = driving.providers.find((provider) => provider.name === name)?.countChallengesLeft?.()
  const due = await selectDue(driving, name, maxDeals)
  const held = due.filter(isHeld)
  if (left === undefined || held.length <= left) return due
  const offers =
    due.length < maxDeals
      ? due.filter((deal) => !isHeld(deal))
      : await selectDue(driving, name, maxDeals, { onlyOffers: true })
  return [...offers, ...held.slice(0, left)]
}

function selectDue(
  { context, providers }: Driving,
  name: string | undefined,
  maxDeals: number,
  { onlyOffers = false }: { onlyOffers?: boolean } = {},
): Promise<DealRow[]> {
  const names = providers.map((provider) => provider.name)
  return (
    context.db.read
      .selectFrom('deal')
      .selectAll()
      // A literal in the statement, because only then do the databases use the index of deals that count.
      .where(sql<boolean>`state in ('queued', 'offered', 'kept', 'proving')`)
      .$if(onlyOffers, (query) => query.where('state', 'not in', heldStates))
      .$if(name !== undefined, (query) => query.where('provider', '=', name ?? ''))
      .$if(name === undefined && names.length > 0, (query) => query.where('provider', 'not in', names))
      .where('next_at', '<=', context.clock.now())
      .orderBy('next_at')
      .limit(maxDeals)
      .execute()
  )
}
