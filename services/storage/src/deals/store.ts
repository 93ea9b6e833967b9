import type { Selectable } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'

export type DealRow = Selectable<Schema['deal']>
export type CheckRow = Selectable<Schema['possession_check']>

/** States of deals that count as a copy, existing or in progress. */
export const activeStates = ['queued', 'offered', 'kept', 'proving'] as const
/** States in which the provider has confirmed that it holds the bytes. */
export const heldStates = ['kept', 'proving'] as const

/** Whether a deal counts as a copy, existing or in progress. */
export function isActive({ state }: Pick<DealRow, 'state'>): boolean {
  return activeStates.some((active) => active === state)
}

/** Whether the provider of a deal has confirmed that it holds the bytes. */
export function isHeld({ state }: Pick<DealRow, 'state'>): boolean {
  return heldStates.some((held) => held === state)
}

/** Whether the last challenge of a deal was answered with a proof: a word of the provider is not one. */
export function isProven({ state, silent_since }: Pick<DealRow, 'state' | 'silent_since'>): boolean {
  return state === 'proving' && silent_since === null
}

/** Returns the deals of an aggregate, oldest first. */
export function findDealsOf(db: Database['read'], aggregateId: string): Promise<DealRow[]> {
  return db.selectFrom('deal').selectAll().where('aggregate_id', '=', aggregateId).orderBy('number').execute()
}
