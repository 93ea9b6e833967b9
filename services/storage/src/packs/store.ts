import type { Database } from '../db/database.ts'
import type { PackHold } from '../db/schema.ts'

/** Returns which of these packs have a row, and what holds each. */
export function findHolds(
  db: Database['read'],
  ids: readonly bigint[],
): Promise<{ id: bigint; hold: PackHold | null }[]> {
  return db.selectFrom('pack').select(['id', 'hold']).where('id', 'in', ids).execute()
}
