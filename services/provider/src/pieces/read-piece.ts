import { encodePieceCid, type Piece, parsePieceCid } from '@cairn/pieces'

/** A piece and its CID as it is stored: upper case and other bases are other texts for the same piece. @throws CairnError INVALID_PIECE_CID */
export function readPiece(text: string): { piece: Piece; cid: string } {
  const piece = parsePieceCid(text)
  return { piece, cid: encodePieceCid(piece) }
}
