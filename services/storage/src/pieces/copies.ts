import { CairnError } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'

/** Returns how many providers keep what an account stores, the default, and the maximum. */
export async function readCopies(
  { db, config }: Context,
  address: string,
): Promise<{ copies: number; defaultCopies: number; maxCopies: number }> {
  const { copies: defaultCopies, maxCopies } = config.deals
  const row = await db.read.selectFrom('copy_policy').select('copies').where('address', '=', address).executeTakeFirst()
  return { copies: Math.min(row?.copies ?? defaultCopies, maxCopies), defaultCopies, maxCopies }
}

/**
 * Sets the replication factor of an account. From now on, that many providers keep aggregates with its content;
 * aggregates with more copies keep them.
 * @throws CairnError INVALID_REQUEST when it exceeds the operator's limit
 */
export async function writeCopies(
  context: Context,
  address: string,
  copies: number,
): Promise<{ copies: number; defaultCopies: number; maxCopies: number }> {
  const { db, clock, config } = context
  if (copies > config.deals.maxCopies) {
    throw new CairnError('INVALID_REQUEST', {
      message: `This service keeps at most ${config.deals.maxCopies} copies`,
      details: { issues: [{ field: 'body.copies', message: `must be at most ${config.deals.maxCopies}` }] },
    })
  }
  await db.write(async (trx) => {
    const now = clock.now()
    await trx
      .insertInto('copy_policy')
      .values({ address, copies, updated_at: now })
      .onConflict((conflict) => conflict.column('address').doUpdateSet({ copies, updated_at: now }))
      .execute()
    await raiseCopies(trx, address, copies, now)
  })
  return readCopies(context, address)
}

/**
 * Raises the factor for content that accounts stored since the last run and that an account with fewer copies stored
 * before: content is kept once. Returns the number of accounts checked.
 */
export async function raiseAllCopies({ db, clock, config }: Context, signal: AbortSignal): Promise<number> {
  const { copies: defaultCopies, maxCopies } = config.deals
  let count = 0
  for (let after = ''; ; ) {
    const some = await db.read
      .selectFrom('copy_policy')
      .selectAll()
      .where('address', '>', after)
      .where('copies', '>', defaultCopies)
      .orderBy('address')
      .limit(100)
      .execute()
    for (const { address, copies } of some) {
      signal.throwIfAborted()
      await db.write((trx) => raiseCopies(trx, address, Math.min(copies, maxCopies), clock.now()))
      after = address
      count++
    }
    if (some.length === 0) return count
  }
}

async function raiseCopies(trx: Kysely<Schema>, address: string, copies: number, now: number): Promise<void> {
  const own = trx
    .selectFrom('piece')
    .innerJoin('piece_pack', 'piece_pack.piece_id', 'piece.id')
    .innerJoin('upload_pack', 'upload_pack.pack_id', 'piece_pack.pack_id')
    .innerJoin('upload', 'upload.id', 'upload_pack.upload_id')
    .where('upload.address', '=', address)
  await trx
    .updateTable('piece')
    .set({ copies })
    .where('aggregate_id', 'is', null)
    .where('copies', '<', copies)
    .where('id', 'in', own.select('piece.id'))
    .execute()
  await trx
    .updateTable('aggregate')
    .set({ copies, place_at: now })
    .where('copies', '<', copies)
    .where(
      'id',
      'in',
      own.where('piece.aggregate_id', 'is not', null).select('piece.aggregate_id').$castTo<{ aggregate_id: string }>(),
    )
    .execute()
}
