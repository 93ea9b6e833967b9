import { createHash } from 'node:crypto'
import type { Kysely, Updateable } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { type AggregateEvent, noteAggregateEvent } from '../events/events.ts'
import { type DealRow, heldStates, isActive } from './store.ts'

/**
 * Updates a deal as it was read. Returns false, and changes nothing, when another replica changed it meanwhile: a
 * process that resumes after losing its lease decides on outdated state. A deal that is no longer a copy triggers the
 * search for another one.
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
    await noteChange(trx, deal, change, now)
    if (isMove && !isActive({ state })) {
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

/** Notes what the accounts in the aggregate should know. Proofs that follow one another are not noted. */
async function noteChange(
  trx: Kysely<Schema>,
  deal: DealRow,
  change: Updateable<Schema['deal']>,
  now: number,
): Promise<void> {
  const type = classify(deal, change)
  if (type === undefined) return
  const { cid } = await trx
    .selectFrom('aggregate')
    .select('cid')
    .where('id', '=', deal.aggregate_id)
    .executeTakeFirstOrThrow()
  const data = { dealNumber: deal.number, provider: deal.provider, aggregateCid: cid }
  const event: AggregateEvent =
    type === 'deal.active' || type === 'proof.resumed'
      ? { type, data }
      : { type, data: { ...data, reason: change.error ?? null } }
  await noteAggregateEvent(trx, deal.aggregate_id, now, event)
}

function classify(deal: DealRow, change: Updateable<Schema['deal']>): AggregateEvent['type'] | undefined {
  const wasHeld = heldStates.some((held) => held === deal.state)
  if (change.state === 'faulted' || (change.state === 'failed' && wasHeld)) return 'deal.lost'
  if (change.state === 'proving') {
    if (deal.state !== 'proving') return 'deal.active'
    return deal.silent_since === null ? undefined : 'proof.resumed'
  }
  const isFirstSilence = deal.silent_since === null && typeof change.silent_since === 'number'
  return isFirstSilence ? 'proof.missed' : undefined
}

/** As {@link changeDeal}, when nothing remains to be done either way. */
export async function updateDeal(
  context: Pick<Context, 'db' | 'clock'>,
  deal: DealRow,
  change: Updateable<Schema['deal']>,
): Promise<void> {
  await changeDeal(context, deal, change)
}

/** Hashes the token that a provider fetches with; only the hash is stored. */
export function hashToken(token: string): Uint8Array {
  return createHash('sha256').update(token).digest()
}
