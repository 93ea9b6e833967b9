import { CairnError, proofReason } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { type AggregateRow, dropPiece, findPiecesOf } from '../pieces/pieces.ts'
import type { Provider } from '../providers/providers.ts'
import { errorColumns } from './error-columns.ts'
import { activeStates, type DealRow, findDealsOf, isActive, isHeld, isProven } from './store.ts'
import { changeDeal, updateDeal } from './update-deal.ts'

const aggregatesInOneRound = 50
/** Interval between checks of an aggregate. */
const recheckMs = 60_000
const answerMs = 15_000

/** State of a round. `unreachable` are providers that did not answer in it: they are skipped for the rest of it. */
type Round = {
  readonly context: Context
  readonly providers: readonly Provider[]
  readonly stop: AbortSignal
  readonly unreachable: Set<string>
}

/** Dependencies of retiring aggregates. */
type Retiring = { context: Context; providers: readonly Provider[] }

/**
 * Removes what is no longer needed: aggregates whose packs are all gone, ones that no provider accepted before a pack
 * was removed, and copies that a provider lost, was replaced for, and may have restored.
 */
export async function retireAggregates({ context, providers }: Retiring, stop: AbortSignal): Promise<void> {
  const { db, clock } = context
  const round: Round = { context, providers, stop, unreachable: new Set() }
  for (const state of ['ending', 'live'] as const) {
    const due = await db.read
      .selectFrom('aggregate')
      .selectAll()
      .where('state', '=', state)
      .where('looked_at', '<=', clock.now() - recheckMs)
      .orderBy('looked_at')
      .limit(aggregatesInOneRound)
      .execute()
    const checked: string[] = []
    for (const aggregate of due) {
      stop.throwIfAborted()
      await checkAggregate(round, aggregate)
      checked.push(aggregate.id)
    }
    if (checked.length === 0) continue
    await db.write((trx) =>
      trx.updateTable('aggregate').set({ looked_at: clock.now() }).where('id', 'in', checked).execute(),
    )
  }
}

async function checkAggregate(round: Round, aggregate: AggregateRow): Promise<void> {
  const { context } = round
  if (aggregate.state === 'ending') return endAggregate(round, aggregate)
  const deals = await findDealsOf(context.db.read, aggregate.id)
  const isGone = !(await hasPacks(context, aggregate, 'there'))
  // No provider holds it, and it cannot be assembled any more.
  const isLost = isGone || (!deals.some(isHeld) && (await hasPacks(context, aggregate, 'gone')))
  if (isLost) return beginEnd(round, aggregate, deals)
  return dropReplaced(round, aggregate, deals)
}

/** Whether any pack of an aggregate exists, and whether any is gone. */
async function hasPacks({ db }: Context, { id }: AggregateRow, which: 'there' | 'gone'): Promise<boolean> {
  const row = await db.read
    .selectFrom('piece')
    .innerJoin('piece_pack', 'piece_pack.piece_id', 'piece.id')
    .leftJoin('pack', 'pack.id', 'piece_pack.pack_id')
    .select('piece.id')
    .where('piece.aggregate_id', '=', id)
    .where('pack.id', which === 'there' ? 'is not' : 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** From here on the end is final: after an interruption, the next round continues. */
async function beginEnd(round: Round, aggregate: AggregateRow, deals: readonly DealRow[]): Promise<void> {
  const { context } = round
  await context.db.write((trx) =>
    trx
      .updateTable('aggregate')
      .set({ state: 'ending', place_at: null })
      .where('id', '=', aggregate.id)
      .where('state', '=', 'live')
      .execute(),
  )
  for (const deal of deals.filter((one) => isActive(one) && !isHeld(one))) {
    const error = errorColumns(proofReason('DEAL_NOT_NEEDED'))
    await updateDeal(context, deal, { state: 'failed', ...error, token_hash: null })
  }
  await endAggregate(round, aggregate)
}

/** Asks every provider to remove it, and deletes it once all did. An unreachable provider is asked again. */
async function endAggregate(round: Round, aggregate: AggregateRow): Promise<void> {
  const { context } = round
  const { db } = context
  await releasePieces(context, aggregate)
  const deals = await findDealsOf(db.read, aggregate.id)
  const open = deals.filter(({ state }) => state !== 'ended')
  const results = await Promise.all(open.map((deal) => endDeal(round, aggregate, deal)))
  if (results.includes(false)) return
  await db.write(async (trx) => {
    const numbers = trx.selectFrom('deal').select('number').where('aggregate_id', '=', aggregate.id)
    await trx.deleteFrom('possession_check').where('deal_number', 'in', numbers).execute()
    await trx.deleteFrom('deal').where('aggregate_id', '=', aggregate.id).execute()
    await trx.deleteFrom('aggregate').where('id', '=', aggregate.id).execute()
  })
}

/**
 * Complete pieces move to another aggregate unchanged; a part of a large pack is not a piece without the others. The
 * remaining packs become new pieces.
 */
async function releasePieces(context: Context, aggregate: AggregateRow): Promise<void> {
  const { db } = context
  for (const piece of await findPiecesOf(db.read, aggregate.id)) {
    const gone = await db.read
      .selectFrom('piece_pack')
      .leftJoin('pack', (join) => join.onRef('pack.id', '=', 'piece_pack.pack_id').on('pack.state', '=', 'live'))
      .select('piece_pack.pack_id')
      .where('piece_pack.piece_id', '=', piece.id)
      .where('pack.id', 'is', null)
      .limit(1)
      .executeTakeFirst()
    if (gone !== undefined) await dropPiece(context, piece)
    else {
      await db.write((trx) =>
        trx
          .updateTable('piece')
          .set({ aggregate_id: null, position: null })
          .where('id', '=', piece.id)
          .where('aggregate_id', '=', aggregate.id)
          .execute(),
      )
    }
  }
}

/** Returns false when the provider could not be reached. */
async function endDeal(
  { context, providers, stop, unreachable }: Round,
  aggregate: AggregateRow,
  deal: DealRow,
): Promise<boolean> {
  const provider = providers.find(({ name }) => name === deal.provider)
  if (unreachable.has(deal.provider)) return false
  try {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(answerMs)])
    // The provider was removed from the configuration, so there is no one to ask; or the same bytes are kept for
    // another aggregate.
    if (!(await isKeptForAnother(context, aggregate, deal))) await provider?.remove(aggregate.cid, { signal })
  } catch (error) {
    if (!CairnError.is(error)) throw error
    stop.throwIfAborted()
    unreachable.add(deal.provider)
    const about = { deal: deal.number, provider: deal.provider }
    context.failures.failed(`remove ${deal.provider}`, error, 'failed to remove a piece, will retry', about)
    return false
  }
  return changeDeal(context, deal, { state: 'ended', token_hash: null })
}

/** The same content deleted and stored again makes the same aggregate. */
async function isKeptForAnother({ db }: Context, aggregate: AggregateRow, deal: DealRow): Promise<boolean> {
  const row = await db.read
    .selectFrom('aggregate')
    .innerJoin('deal', 'deal.aggregate_id', 'aggregate.id')
    .select('deal.number')
    .where('aggregate.cid', '=', aggregate.cid)
    .where('aggregate.id', '!=', aggregate.id)
    .where('deal.provider', '=', deal.provider)
    .where('deal.state', 'in', activeStates)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** A replaced provider may return: its copy is not needed once there are enough others, all of them proven. */
async function dropReplaced(round: Round, aggregate: AggregateRow, deals: readonly DealRow[]): Promise<void> {
  if (deals.filter(isProven).length < aggregate.copies) return
  for (const deal of deals) {
    if (deal.state !== 'faulted') continue
    if (deals.some((other) => other.provider === deal.provider && isActive(other))) {
      await updateDeal(round.context, deal, { state: 'ended' })
    } else {
      await endDeal(round, aggregate, deal)
    }
  }
}
