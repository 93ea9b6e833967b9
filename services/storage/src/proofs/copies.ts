import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'

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
        own
          .where('piece.aggregate_id', 'is not', null)
          .select('piece.aggregate_id')
          .$castTo<{ aggregate_id: string }>(),
      )
      .execute()
  })
  return readCopies(context, address)
}
