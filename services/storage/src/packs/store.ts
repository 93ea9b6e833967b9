import type { Database } from '../db/database.ts'
import type { PackHold } from '../db/schema.ts'
import { type PlacedPack, placeColumns } from './pack-place.ts'

/** Returns which of these packs have a row, and what holds each. */
export function findHolds(
  db: Database['read'],
  ids: readonly bigint[],
): Promise<{ id: bigint; hold: PackHold | null }[]> {
  return db.selectFrom('pack').select(['id', 'hold']).where('id', 'in', ids).execute()
}

/** Returns where the bytes of a pack are now; undefined when it was removed, or is being removed. */
export function findPlace(db: Database['read'], id: bigint): Promise<PlacedPack | undefined> {
  return db.selectFrom('pack').select(placeColumns).where('id', '=', id).where('state', '=', 'live').executeTakeFirst()
}
