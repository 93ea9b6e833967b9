import type { Trx } from '../shards/shards.ts'

/**
 * Returns until when saved keys take part in a replacement of shards, in ms; undefined unless the operator of this node
 * asked for one. Each operator decides for one node: two that are dishonest cannot start a replacement.
 */
export async function findConsent(db: Trx): Promise<number | undefined> {
  const row = await db.selectFrom('node').select('replace_until').where('id', '=', 1).executeTakeFirst()
  return row?.replace_until ?? undefined
}

/** Sets or withdraws the consent. */
export async function writeConsent(trx: Trx, until: number | null): Promise<void> {
  await trx.updateTable('node').set({ replace_until: until }).where('id', '=', 1).execute()
}
