import type { Kysely } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import type { ObjectStore } from './objects.ts'

const keysInOneQuery = 500

/**
 * Notes objects for removal, in the unit of work that drops their records. An object is removed because a row says so, never
 * because no row names it.
 */
export async function doomObjects(trx: Kysely<Schema>, keys: readonly string[], now: number): Promise<void> {
  for (let at = 0; at < keys.length; at += keysInOneQuery) {
    await trx
      .insertInto('doomed_object')
      .values(keys.slice(at, at + keysInOneQuery).map((object_key) => ({ object_key, created_at: now })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

/** Removes noted objects and then their notes. {@link removeAllDoomed} finishes what is interrupted. */
export async function removeDoomed(
  { db, objects }: { db: Database; objects: ObjectStore },
  keys: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  for (let at = 0; at < keys.length; at += keysInOneQuery) {
    const some = keys.slice(at, at + keysInOneQuery)
    for (const key of some) {
      signal?.throwIfAborted()
      await objects.remove(key)
    }
    await db.write((trx) => trx.deleteFrom('doomed_object').where('object_key', 'in', some).execute())
  }
}

/** Removes all noted objects and returns how many. Replicas may do so at the same time. */
export async function removeAllDoomed(
  parts: { db: Database; objects: ObjectStore },
  signal?: AbortSignal,
): Promise<number> {
  for (let removed = 0; ; ) {
    const rows = await parts.db.read.selectFrom('doomed_object').select('object_key').limit(keysInOneQuery).execute()
    if (rows.length === 0) return removed
    await removeDoomed(
      parts,
      rows.map(({ object_key }) => object_key),
      signal,
    )
    removed += rows.length
  }
}
