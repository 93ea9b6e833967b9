import { createHash } from 'node:crypto'
import type { Updateable } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { DealRow } from './store.ts'

/** Changes a deal unless another replica changed its state meanwhile. */
export async function updateDeal(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  deal: DealRow,
  change: Updateable<Schema['deal']>,
): Promise<void> {
  const isMove = change.state !== undefined && change.state !== deal.state
  await db.write((trx) =>
    trx
      .updateTable('deal')
      .set({ ...change, ...(isMove ? { since: clock.now() } : {}) })
      .where('number', '=', deal.number)
      .where('state', '=', deal.state)
      .execute(),
  )
}

/** What is kept of the token that a provider fetches with. */
export function hashToken(token: string): Uint8Array {
  return createHash('sha256').update(token).digest()
}
