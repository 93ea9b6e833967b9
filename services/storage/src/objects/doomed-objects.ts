import type { ObjectStore } from '@cairn/service/objects'
import { type Kysely, sql } from 'kysely'
import type { Clock } from '../context.ts'
import type { Database } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import { isRemovalHeld } from '../workers/removal-hold.ts'
import { collectRefusals, type Refusals } from './refusals.ts'

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
  parts: RemovalParts,
  keys: readonly string[],
  signal?: AbortSignal,
): Promise<boolean> {
  if (await isRemovalHeld(parts)) return false
  const refusals = collectRefusals()
  for (let at = 0; at < keys.length; at += keysInOneQuery) {
    await removeSome(parts, keys.slice(at, at + keysInOneQuery), refusals, signal)
  }
  refusals.end()
  return true
}

/** Removes all noted objects whose time has come and returns their number. Replicas may run it concurrently. */
export async function removeAllDoomed(parts: RemovalParts, signal?: AbortSignal): Promise<number> {
  const refusals = collectRefusals()
  let removed = 0
  for (let after = { created_at: -1, object_key: '' }; ; ) {
    const rows = await parts.db.read
      .selectFrom('doomed_object')
      .select(['object_key', 'created_at'])
      .where('created_at', '<=', parts.clock.now())
      // Behind those that could not be removed.
      .where(sql<boolean>`(created_at, object_key) > (${after.created_at}, ${after.object_key})`)
      .orderBy('created_at')
      .orderBy('object_key')
      .limit(keysInOneQuery)
      .execute()
    const last = rows.at(-1)
    if (last === undefined || (await isRemovalHeld(parts))) break
    const keys = rows.map(({ object_key }) => object_key)
    removed += await removeSome(parts, keys, refusals, signal)
    after = last
  }
  refusals.end()
  return removed
}

/** Removes a few objects and their notes. Returns how many. */
async function removeSome(
  { db, objects }: RemovalParts,
  keys: readonly string[],
  refusals: Refusals,
  signal: AbortSignal | undefined,
): Promise<number> {
  const removed: string[] = []
  for (const key of keys) {
    signal?.throwIfAborted()
    if (await refusals.attempt(() => objects.remove(key))) removed.push(key)
  }
  if (removed.length > 0)
    await db.write((trx) => trx.deleteFrom('doomed_object').where('object_key', 'in', removed).execute())
  return removed.length
}
