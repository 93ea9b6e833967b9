import type { Kysely } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Schema } from '../../db/schema.ts'

/** Counts a removal in the unit of work that decides it. Replicas clear their caches when the count changes. */
export async function countRemoval(trx: Kysely<Schema>): Promise<void> {
  await trx
    .updateTable('store')
    .set(({ eb }) => ({ removals: eb('removals', '+', 1) }))
    .execute()
}

/** Reads the number of packs removed so far. */
export async function readRemovals({ read }: Pick<Database, 'read'>): Promise<number> {
  const row = await read.selectFrom('store').select('removals').executeTakeFirstOrThrow()
  return row.removals
}
