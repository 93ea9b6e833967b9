import { createReadStream } from 'node:fs'
import { encodePieceCid, type Piece, type PieceTree } from '@cairn/pieces'
import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { isDamage, noteDamage } from './damage.ts'
import { readPiece } from './read-piece.ts'
import { type PieceRow, requireKept } from './store.ts'

/** A kept piece with its tree. */
export type KeptPiece = { readonly row: PieceRow; readonly piece: Piece; readonly tree: PieceTree }

/**
 * Opens a kept piece. A tree that is gone or changed is computed again from the payload, which may take a while.
 * @throws CairnError INVALID_PIECE_CID, PIECE_NOT_FOUND, PIECE_DAMAGED
 */
export async function openKept(context: Context, text: string): Promise<KeptPiece> {
  const { piece, cid } = readPiece(text)
  const row = await requireKept(context.db.read, cid)
  const nodes = (await context.files.readTree(cid)) ?? (await rebuildTree(context, row))
  return { row, piece, tree: { piece, nodes } }
}

function rebuildTree(context: Context, { cid }: PieceRow): Promise<Uint8Array> {
  const { db, files, hashes, locks, log } = context
  return locks.run(cid, async () => {
    const row = await requireKept(db.read, cid)
    // Whoever had the lock before may have done it.
    const found = await files.readTree(cid)
    if (found !== undefined) return found
    log.warn({ piece: cid }, 'the tree of a piece is computed again')
    const hasher = hashes.createHasher()
    try {
      for await (const bytes of createReadStream(files.payloadPath(cid), { highWaterMark: 1024 * 1024 })) {
        await hasher.write(bytes)
      }
      const { piece, nodes } = await hasher.finish()
      if (encodePieceCid(piece) !== cid) throw new CairnError('PIECE_DAMAGED')
      await files.writeTree(cid, nodes)
      return nodes
    } catch (error) {
      hasher.drop()
      throw isDamage(error) || CairnError.is(error, 'INVALID_REQUEST') ? await noteDamage(context, row, error) : error
    }
  })
}
