import type { ObjectStore } from '@cairn/service/objects'
import type { Kysely } from 'kysely'
import type { Clock } from '../context.ts'
import type { Database } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import { isRemovalHeld } from '../workers/removal-hold.ts'

const keysInOneQuery = 500

/**
 * Notes objects for removal, in the unit of work that deletes their records. An object is removed because a row states
 * so, never because no row names it.
 * @param from when they may be removed, in ms since 1970
 */
export async function doomObjects(trx: Kysely<Schema>, keys: readonly string[], from: number): Promise<void> {
  for (let at = 0; at < keys.length; at += keysInOneQuery) {
    await trx
      .insertInto('doomed_object')
      .values(keys.slice(at, at + keysInOneQuery).map((object_key) => ({ object_key, created_at: from })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

/** Dependencies of a removal. */
type RemovalParts = { db: Database; objects: ObjectStore; clock: Clock }

/**
 * Removes noted objects and then their notes. {@link removeAllDoomed} completes a removal that was interrupted, or
 * postponed because a backup runs. Returns whether it was not postponed.
 */
export async function removeDoomed(
  { db, objects, clock }: RemovalParts,
  keys: readonly string[],
  signal?: AbortSignal,
): Promise<boolean> {
  if (await isRemovalHeld({ db, clock })) return false
  for (let at = 0; at < keys.length; at += keysInOneQuery) {
    const some = keys.slice(at, at + keysInOneQuery)
    for (const key of some) {
      signal?.throwIfAborted()
      await objects.remove(key)
    }
    await db.write((trx) => trx.deleteFrom('doomed_object').where('object_key', 'in', some).execute())
  }
  return true
}

/** Removes all noted objects whose time has come and returns their number. Replicas may run it concurrently. */
export async function removeAllDoomed(parts: RemovalParts, signal?: AbortSignal): Promise<number> {
  for (let removed = 0; ; ) {
    const rows = await parts.db.read
      .selectFrom('doomed_object')
      .select('object_key')
      .where('created_at', '<=', parts.clock.now())
      .limit(keysInOneQuery)
      .execute()
    if (rows.length === 0) return removed
    const keys = rows.map(({ object_key }) => object_key)
    if (!(await removeDoomed(parts, keys, signal))) return removed
    removed += rows.length
  }
}
