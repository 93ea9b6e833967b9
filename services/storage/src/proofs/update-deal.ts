import { createHash } from 'node:crypto'
import type { Updateable } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { activeStates, type DealRow } from './store.ts'

/**
 * Changes a deal as it was read. False, and nothing changed, where another replica changed it meanwhile: whoever lost its
 * lease and wakes up judges by what is long past. A deal that is no copy any more has another one looked for.
 */
export async function changeDeal(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  deal: DealRow,
  change: Updateable<Schema['deal']>,
): Promise<boolean> {
  const { state } = change
  const now = clock.now()
  const isMove = state !== undefined && state !== deal.state
  return db.write(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('deal')
      .set({ ...change, ...(isMove ? { since: now } : {}) })
      .where('number', '=', deal.number)
      .where('state', '=', deal.state)
      .where('next_at', '=', deal.next_at)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return false
    if (isMove && !activeStates.some((active) => active === state)) {
      await trx
        .updateTable('aggregate')
        .set({ place_at: now })
        .where('id', '=', deal.aggregate_id)
        .where('state', '=', 'live')
        .execute()
    }
    return true
  })
}

/** As {@link changeDeal}, where nothing is left to do either way. */
export async function updateDeal(
  context: Pick<Context, 'db' | 'clock'>,
  deal: DealRow,
  change: Updateable<Schema['deal']>,
): Promise<void> {
  await changeDeal(context, deal, change)
}

/** What is kept of the token that a provider fetches with. */
export function hashToken(token: string): Uint8Array {
  return createHash('sha256').update(token).digest()
}
