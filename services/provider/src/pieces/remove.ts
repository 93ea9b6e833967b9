import type { Context } from '../context.ts'
import { readPiece } from './read-piece.ts'

/** Removes a piece and cancels a pull of it. Returns whether it existed. @throws CairnError INVALID_PIECE_CID */
export function removePieceOf(context: Context, text: string): Promise<{ piece: string; removed: boolean }> {
  const { cid } = readPiece(text)
  const { db, files, locks, pulling } = context
  pulling.get(cid)?.stop.abort()
  return locks.run(cid, async () => {
    const { numDeletedRows } = await db.write((trx) =>
      trx.deleteFrom('piece').where('cid', '=', cid).executeTakeFirst(),
    )
    // A process that ends between the two steps leaves files without a row. A whole piece then comes back at the next start,
    // and its caller, who got no answer, asks again.
    await files.remove(cid)
    return { piece: cid, removed: numDeletedRows > 0n }
  })
}
