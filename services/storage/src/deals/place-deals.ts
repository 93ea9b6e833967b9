import { paddedBytesOf } from '@cairn/pieces'
import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { AggregateRow } from '../pieces/pieces.ts'
import type { Provider } from '../providers/providers.ts'
import { noError } from './error-columns.ts'
import { activeStates, type DealRow, findDealsOf, isActive } from './store.ts'

const aggregatesInOneRound = 200
/** Interval of the search for more providers when there are too few. */
const placeAgainMs = 60_000
/** Maximum wait after a failure of a provider; the wait quadruples with each failure. */
const maxCooldownMs = 600_000
/** Number of deals without any proof kept per provider, for each state in which they ended. */
const failuresKept = 4
const lostStates = ['failed', 'faulted', 'ended'] as const

/** Dependencies of placing deals. */
export type Placing = { context: Context; providers: readonly Provider[] }

/** Selects providers for aggregates that have too few; returns the number of deals created. */
export async function placeDeals({ context, providers }: Placing): Promise<number> {
  const { db, clock, log } = context
  const due = await db.read
    .selectFrom('aggregate')
    .select('id')
    .where('state', '=', 'live')
    .where('place_at', 'is not', null)
    .where('place_at', '<=', clock.now())
    .orderBy('place_at')
    .limit(aggregatesInOneRound)
    .execute()
  if (due.length === 0) return 0
  const load = await countLoads(context)
  let begun = 0
  let short = 0
  for (const { id } of due) {
    const placed = await db.write((trx) => placeOne(trx, context, providers, load, id))
    begun += placed.begun.length
    for (const name of placed.begun) load.set(name, (load.get(name) ?? 0) + 1)
    if (placed.isShort) short++
  }
  if (short > 0)
    log.warn({ aggregates: short }, 'not enough providers accept aggregates, which have fewer copies than required')
  return begun
}

/** Counts the deals per provider, so that new ones go to those with few. */
async function countLoads({ db }: Context): Promise<Map<string, number>> {
  const rows = await db.read
    .selectFrom('deal')
    .select(({ fn }) => ['provider', fn.countAll<number>().as('deals')])
    .where('state', 'in', activeStates)
    .groupBy('provider')
    .execute()
  return new Map(rows.map((row) => [row.provider, Number(row.deals)]))
}

/** One unit of work per aggregate: concurrent replicas wait for each other, and the second finds it done. */
async function placeOne(
  trx: Kysely<Schema>,
  context: Context,
  providers: readonly Provider[],
  load: ReadonlyMap<string, number>,
  id: string,
): Promise<{ begun: string[]; isShort: boolean }> {
  const { clock, config } = context
  const coolMs = Math.min(config.deals.challengeMs, maxCooldownMs)
  const aggregate = await trx
    .updateTable('aggregate')
    .set({ place_at: clock.now() + Math.min(coolMs, placeAgainMs) })
    .where('id', '=', id)
    .where('state', '=', 'live')
    .where('place_at', '<=', clock.now())
    .returningAll()
    .executeTakeFirst()
  if (aggregate === undefined) return { begun: [], isShort: false }
  const deals = await findDealsOf(trx, id)
  const wanted = aggregate.copies - deals.filter(isActive).length
  const chosen = choose(providers, aggregate, deals, load, clock.now(), coolMs).slice(0, Math.max(0, wanted))
  for (const provider of chosen) await beginDeal(trx, context, aggregate, deals, provider)
  const isShort = chosen.length < wanted
  if (!isShort) await trx.updateTable('aggregate').set({ place_at: null }).where('id', '=', id).execute()
  return { begun: chosen.map(({ name }) => name), isShort }
}

/**
 * Returns providers that may receive an aggregate, best first: those that never lost it before those that did, then
 * those with fewer deals. One that failed recently, or kept the aggregate but proved nothing, waits longer each time.
 */
function choose(
  providers: readonly Provider[],
  aggregate: AggregateRow,
  deals: readonly DealRow[],
  load: ReadonlyMap<string, number>,
  now: number,
  coolMs: number,
): Provider[] {
  const payloadBytes = (paddedBytesOf(aggregate) / 128) * 127
  const lastLoss = ({ name }: Provider): number =>
    deals.findLast((deal) => deal.provider === name && !isActive(deal))?.since ?? 0
  const coolOf = ({ name }: Provider): number => {
    const failures = deals.filter((deal) => deal.provider === name && isFailure(deal)).length
    return coolMs * 4 ** Math.max(0, Math.min(failures, failuresKept) - 1)
  }
  return providers
    .filter((provider) => provider.maxPieceBytes >= payloadBytes)
    .filter((provider) => !deals.some((deal) => deal.provider === provider.name && isActive(deal)))
    .filter((provider) => lastLoss(provider) === 0 || lastLoss(provider) <= now - coolOf(provider))
    .toSorted(
      (a, b) =>
        lastLoss(a) - lastLoss(b) || (load.get(a.name) ?? 0) - (load.get(b.name) ?? 0) || a.name.localeCompare(b.name),
    )
}

/** Whether a deal ended without a single proof, or failed. */
function isFailure(deal: DealRow): boolean {
  return deal.state === 'failed' || (!isActive(deal) && deal.proofs === 0)
}

async function beginDeal(
  trx: Kysely<Schema>,
  { clock }: Context,
  aggregate: AggregateRow,
  deals: readonly DealRow[],
  provider: Provider,
): Promise<void> {
  const now = clock.now()
  const failures = deals.filter((deal) => deal.provider === provider.name && isFailure(deal))
  const old = lostStates
    .flatMap((state) => failures.filter((deal) => deal.state === state).slice(0, 1 - failuresKept))
    .map(({ number }) => number)
  if (old.length > 0) {
    await trx.deleteFrom('possession_check').where('deal_number', 'in', old).execute()
    await trx.deleteFrom('deal').where('number', 'in', old).execute()
  }
  const { last } = await trx
    .updateTable('deal_counter')
    .set(({ eb }) => ({ last: eb('last', '+', 1) }))
    .where('name', '=', 'deal')
    .returning('last')
    .executeTakeFirstOrThrow()
  await trx
    .insertInto('deal')
    .values({
      number: last,
      aggregate_id: aggregate.id,
      provider: provider.name,
      provider_key: null,
      state: 'queued',
      since: now,
      created_at: now,
      kept_at: null,
      proven_at: null,
      next_at: now,
      tries: 0,
      proofs: 0,
      faults: 0,
      token_hash: null,
      ...noError,
      challenge_nonce: null,
      challenge_source: null,
      silent_since: null,
    })
    .execute()
}
