import type { Piece } from '@cairn/pieces'
import type { Context } from '../context.ts'
import { readPiece } from './read-piece.ts'
import { type PieceRow, requireKept } from './store.ts'

/** A kept piece, as known before it is read. */
export type KeptPiece = { readonly row: PieceRow; readonly piece: Piece }

/** @throws CairnError INVALID_PIECE_CID, PIECE_NOT_FOUND, PIECE_DAMAGED */
export async function openKept({ db }: Context, text: string): Promise<KeptPiece> {
  const { piece, cid } = readPiece(text)
  return { row: await requireKept(db.read, cid), piece }
}
