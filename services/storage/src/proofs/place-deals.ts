import { paddedBytesOf } from '@cairn/pieces'
import type { Context } from '../context.ts'
import type { Provider } from './provider.ts'
import { type AggregateRow, activeStates, type DealRow, findDealsOf } from './store.ts'

const aggregatesInOneRound = 200

/** What placing deals needs. */
export type Placing = { context: Context; providers: readonly Provider[] }

/** Decides on providers for every aggregate that has too few; answers how many deals were begun. */
export async function placeDeals({ context, providers }: Placing): Promise<number> {
  const { db } = context
  const short = await db.read
    .selectFrom('aggregate')
    .leftJoin('deal', (join) =>
      join.onRef('deal.aggregate_id', '=', 'aggregate.id').on('deal.state', 'in', activeStates),
    )
    .selectAll('aggregate')
    .where('aggregate.state', '=', 'live')
    .groupBy('aggregate.id')
    .having(({ eb, fn, ref }) => eb(fn.count('deal.number'), '<', fn.max(ref('aggregate.copies'))))
    .orderBy('aggregate.created_at')
    .limit(aggregatesInOneRound)
    .execute()
  let begun = 0
  for (const aggregate of short) {
    const deals = await findDealsOf(db.read, aggregate.id)
    const wanted = aggregate.copies - deals.filter(isActive).length
    const chosen = await choose(context, providers, aggregate, deals)
    for (const provider of chosen.slice(0, wanted)) {
      await beginDeal(context, aggregate, provider)
      begun++
    }
  }
  return begun
}

function isActive({ state }: DealRow): boolean {
  return activeStates.some((active) => active === state)
}

/**
 * Providers that may take an aggregate, best first: those that never lost it before those that did, and among them those
 * with fewer bytes. One that failed lately has to wait.
 */
async function choose(
  { db, clock, config }: Context,
  providers: readonly Provider[],
  aggregate: AggregateRow,
  deals: readonly DealRow[],
): Promise<Provider[]> {
  const payloadBytes = (paddedBytesOf(aggregate) / 128) * 127
  const coolMs = Math.min(config.deals.challengeMs, 600_000)
  const loads = await db.read
    .selectFrom('deal')
    .select(({ fn }) => ['provider', fn.countAll<number>().as('deals')])
    .where('state', 'in', activeStates)
    .groupBy('provider')
    .execute()
  const load = new Map(loads.map((row) => [row.provider, Number(row.deals)]))
  const lastLoss = (provider: Provider): number =>
    deals.findLast((deal) => deal.provider === provider.name && !isActive(deal))?.since ?? 0
  return providers
    .filter((provider) => provider.pieceBytesMost >= payloadBytes)
    .filter((provider) => !deals.some((deal) => deal.provider === provider.name && isActive(deal)))
    .filter((provider) => lastLoss(provider) === 0 || lastLoss(provider) <= clock.now() - coolMs)
    .toSorted(
      (a, b) =>
        lastLoss(a) - lastLoss(b) || (load.get(a.name) ?? 0) - (load.get(b.name) ?? 0) || a.name.localeCompare(b.name),
    )
}

async function beginDeal({ db, clock }: Context, aggregate: AggregateRow, provider: Provider): Promise<void> {
  const now = clock.now()
  await db.write(async (trx) => {
    const last = await trx
      .selectFrom('deal')
      .select(({ fn }) => fn.max('number').as('number'))
      .executeTakeFirst()
    await trx
      .insertInto('deal')
      .values({
        number: Number(last?.number ?? 0) + 1,
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
        error: null,
      })
      .execute()
  })
}
