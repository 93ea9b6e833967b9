import { CairnError } from '@cairn/protocol'
import { applyAction } from '@cairn/service/admin'
import { activeStates, heldStates, noError } from '../deals/deals.ts'
import type { AdminContext } from './admin-context.ts'

/**
 * Offers a deal to its provider again, immediately, with its attempts reset.
 * @throws CairnError NOT_FOUND; CONFLICT for a deal that its provider keeps, that is no longer needed, or that was replaced
 */
export function requeueDeal(context: AdminContext, number: number) {
  return applyAction(context, async (trx) => {
    const deal = await trx.selectFrom('deal').selectAll().where('number', '=', number).executeTakeFirst()
    if (deal === undefined) throw new CairnError('NOT_FOUND', { message: `There is no deal ${number}` })
    if (heldStates.some((state) => state === deal.state)) {
      throw refuse(number, `Its provider already keeps it (${deal.state})`, 'No action is required.')
    }
    const aggregate = await trx
      .selectFrom('aggregate')
      .select('state')
      .where('id', '=', deal.aggregate_id)
      .executeTakeFirst()
    if (aggregate?.state !== 'live' || deal.state === 'ended') throw refuse(number, 'Its content is no longer needed')
    const other = await trx
      .selectFrom('deal')
      .select('number')
      .where('aggregate_id', '=', deal.aggregate_id)
      .where('provider', '=', deal.provider)
      .where('number', '<>', number)
      .where('state', 'in', activeStates)
      .executeTakeFirst()
    if (other !== undefined) throw refuse(number, `Deal ${other.number} with the same provider replaced it`)
    const now = context.clock.now()
    // Nothing of the copy that was lost: the new one has not been proven, and is not silent.
    const unproven = {
      kept_at: null,
      proven_at: null,
      silent_since: null,
      challenge_nonce: null,
      challenge_source: null,
    }
    await trx
      .updateTable('deal')
      .set({ state: 'queued', since: now, next_at: now, tries: 0, ...noError, ...unproven, token_hash: null })
      .where('number', '=', number)
      .execute()
    return {
      action: 'deals requeue',
      subject: String(number),
      before: { state: deal.state, tries: deal.tries, error: deal.error },
      after: { state: 'queued', tries: 0, error: null },
    }
  })
}

function refuse(number: number, why: string, hint = 'Cairn selects another provider automatically.'): CairnError {
  return new CairnError('CONFLICT', { message: `Deal ${number} cannot be queued again. ${why}`, hint })
}
