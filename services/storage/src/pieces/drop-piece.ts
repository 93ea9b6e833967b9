import type { Context } from '../context.ts'
import { doomObjects, removeDoomed } from '../objects/doomed-objects.ts'
import type { PieceRow } from './store.ts'

/**
 * Deletes a piece, unless it was added to another aggregate since its row was read. Its remaining packs become new
 * pieces.
 */
export async function dropPiece({ db, objects, clock }: Context, piece: PieceRow): Promise<void> {
  const treeKeys = piece.tree_key === null ? [] : [piece.tree_key]
  const isDropped = await db.write(async (trx) => {
    // Locks the row: adding it to an aggregate happens before or after this.
    const { numUpdatedRows } = await trx
      .updateTable('piece')
      .set({ position: piece.position })
      .where('id', '=', piece.id)
      .where('aggregate_id', piece.aggregate_id === null ? 'is' : '=', piece.aggregate_id)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return false
    const packs = trx.selectFrom('piece_pack').select('pack_id').where('piece_id', '=', piece.id)
    await trx.updateTable('pack').set({ is_pieced: 0 }).where('id', 'in', packs).execute()
    await trx.deleteFrom('piece_pack').where('piece_id', '=', piece.id).execute()
    await trx.deleteFrom('piece').where('id', '=', piece.id).execute()
    await doomObjects(trx, treeKeys, clock.now())
    return true
  })
  if (isDropped) await removeDoomed({ db, objects, clock }, treeKeys)
}
