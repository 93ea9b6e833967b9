import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { dropPiece } from './drop-piece.ts'
import type { Provider } from './provider.ts'
import { type AggregateRow, activeStates, type DealRow, findDealsOf, findPiecesOf, heldStates } from './store.ts'
import { updateDeal } from './update-deal.ts'

const aggregatesInOneRound = 50
/** How often each aggregate is looked at. */
const lookAgainMs = 60_000
const answerMs = 15_000

/**
 * Lets go of what nobody needs: aggregates whose packs are all gone, ones that no provider took before a pack went, and
 * copies that a provider lost, was replaced for, and may have found again.
 */
export async function retireAggregates(
  context: Context,
  providers: readonly Provider[],
  stop: AbortSignal,
): Promise<void> {
  const { db, clock } = context
  const due = await db.read
    .selectFrom('aggregate')
    .selectAll()
    .where(({ eb, or }) => or([eb('state', '=', 'ending'), eb('looked_at', '<=', clock.now() - lookAgainMs)]))
    .orderBy('looked_at')
    .limit(aggregatesInOneRound)
    .execute()
  for (const aggregate of due) {
    stop.throwIfAborted()
    const packs = await countPacks(context, aggregate)
    const deals = await findDealsOf(db.read, aggregate.id)
    if (packs.there === 0) await endAggregate(context, providers, aggregate, deals, stop)
    else if (packs.there < packs.all && !deals.some(isHeld)) await dissolve(context, aggregate, deals)
    else await dropReplaced(context, providers, aggregate, deals, stop)
    await db.write((trx) =>
      trx.updateTable('aggregate').set({ looked_at: clock.now() }).where('id', '=', aggregate.id).execute(),
    )
  }
}

function isHeld({ state }: DealRow): boolean {
  return heldStates.some((held) => held === state)
}

function isActive({ state }: DealRow): boolean {
  return activeStates.some((active) => active === state)
}

async function countPacks({ db }: Context, { id }: AggregateRow): Promise<{ all: number; there: number }> {
  const row = await db.read
    .selectFrom('piece')
    .innerJoin('piece_pack', 'piece_pack.piece_id', 'piece.id')
    .leftJoin('pack', 'pack.id', 'piece_pack.pack_id')
    .select(({ fn }) => [fn.count<number>('piece_pack.pack_id').as('all'), fn.count<number>('pack.id').as('there')])
    .where('piece.aggregate_id', '=', id)
    .executeTakeFirstOrThrow()
  return { all: Number(row.all), there: Number(row.there) }
}

/** Has every provider remove it, and forgets it once all did. One that cannot be reached is asked again. */
async function endAggregate(
  context: Context,
  providers: readonly Provider[],
  aggregate: AggregateRow,
  deals: readonly DealRow[],
  stop: AbortSignal,
): Promise<void> {
  const { db } = context
  await db.write((trx) =>
    trx.updateTable('aggregate').set({ state: 'ending' }).where('id', '=', aggregate.id).execute(),
  )
  const open = deals.filter(({ state }) => state !== 'ended')
  const results = await Promise.all(open.map((deal) => endDeal(context, providers, aggregate, deal, stop)))
  if (results.includes(false)) return
  for (const piece of await findPiecesOf(db.read, aggregate.id)) await dropPiece(context, piece)
  await db.write(async (trx) => {
    const numbers = deals.map(({ number }) => number)
    if (numbers.length > 0) {
      await trx.deleteFrom('possession_check').where('deal_number', 'in', numbers).execute()
      await trx.deleteFrom('deal').where('number', 'in', numbers).execute()
    }
    await trx.deleteFrom('aggregate').where('id', '=', aggregate.id).execute()
  })
}

/** False when the provider could not be told. */
async function endDeal(
  context: Context,
  providers: readonly Provider[],
  aggregate: AggregateRow,
  deal: DealRow,
  stop: AbortSignal,
): Promise<boolean> {
  const provider = providers.find(({ name }) => name === deal.provider)
  try {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(answerMs)])
    // The operator works with it no more: there is nobody to tell.
    await provider?.remove(aggregate.cid, { signal })
  } catch (error) {
    if (!CairnError.is(error)) throw error
    context.log.warn({ err: error, deal: deal.number, provider: deal.provider }, 'a piece could not be removed yet')
    return false
  }
  await updateDeal(context, deal, { state: 'ended', token_hash: null })
  return true
}

/** Nobody holds it and it cannot be put together any more: its pieces that are whole go into another. */
async function dissolve(context: Context, aggregate: AggregateRow, deals: readonly DealRow[]): Promise<void> {
  const { db } = context
  for (const piece of await findPiecesOf(db.read, aggregate.id)) await dropPiece(context, piece)
  for (const deal of deals) await updateDeal(context, deal, { state: 'ended', token_hash: null })
  await db.write((trx) =>
    trx.updateTable('aggregate').set({ state: 'ending' }).where('id', '=', aggregate.id).execute(),
  )
}

/** A provider that was replaced may be back: what it still has is not needed once there are enough copies. */
async function dropReplaced(
  context: Context,
  providers: readonly Provider[],
  aggregate: AggregateRow,
  deals: readonly DealRow[],
  stop: AbortSignal,
): Promise<void> {
  if (deals.filter(isHeld).length < aggregate.copies) return
  for (const deal of deals) {
    if (deal.state !== 'faulted') continue
    if (deals.some((other) => other.provider === deal.provider && isActive(other))) {
      await updateDeal(context, deal, { state: 'ended' })
    } else {
      await endDeal(context, providers, aggregate, deal, stop)
    }
  }
}
