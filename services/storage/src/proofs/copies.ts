import { CairnError } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'

/** How many providers keep what an account stores, what is usual, and the most there may be. */
export async function readCopies(
  { db, config }: Context,
  address: string,
): Promise<{ copies: number; usual: number; most: number }> {
  const { copies: usual, copiesMost: most } = config.deals
  const row = await db.read.selectFrom('copy_policy').select('copies').where('address', '=', address).executeTakeFirst()
  return { copies: Math.min(row?.copies ?? usual, most), usual, most }
}

/**
 * Sets the replication factor of an account. Aggregates that hold something of it are kept by as many providers from now
 * on; where they are kept by more already they stay so.
 * @throws CairnError INVALID_REQUEST when it is more than the operator allows
 */
export async function writeCopies(
  context: Context,
  address: string,
  copies: number,
): Promise<{ copies: number; usual: number; most: number }> {
  const { db, clock, config } = context
  if (copies > config.deals.copiesMost) {
    throw new CairnError('INVALID_REQUEST', {
      message: `At most ${config.deals.copiesMost} copies are kept here`,
      details: { issues: [{ field: 'body.copies', message: `must be ${config.deals.copiesMost} at most` }] },
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
 * Raises the factor of accounts for what they stored since, but was stored before by somebody who wants fewer: content is
 * kept once. Answers how many accounts were looked at.
 */
export async function raiseAllCopies({ db, clock, config }: Context, signal: AbortSignal): Promise<number> {
  const { copies: usual, copiesMost } = config.deals
  let count = 0
  for (let after = ''; ; ) {
    const some = await db.read
      .selectFrom('copy_policy')
      .selectAll()
      .where('address', '>', after)
      .where('copies', '>', usual)
      .orderBy('address')
      .limit(100)
      .execute()
    for (const { address, copies } of some) {
      signal.throwIfAborted()
      await db.write((trx) => raiseCopies(trx, address, Math.min(copies, copiesMost), clock.now()))
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
