import type { Context } from '../context.ts'
import type { PieceRow } from './store.ts'

/** Forgets a piece that no aggregate needs. Packs of it that are still there will be pieced anew. */
export async function dropPiece({ db, objects }: Context, piece: PieceRow): Promise<void> {
  await db.write(async (trx) => {
    await trx.deleteFrom('piece_pack').where('piece_id', '=', piece.id).execute()
    await trx.deleteFrom('piece').where('id', '=', piece.id).execute()
  })
  if (piece.tree_key !== null) await objects.remove(piece.tree_key)
}
