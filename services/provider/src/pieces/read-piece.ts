import { encodePieceCid, type Piece, parsePieceCid } from '@cairn/pieces'

/**
 * Parses a piece CID and returns its canonical text: upper case and other bases spell the same piece. @throws
 * CairnError INVALID_PIECE_CID
 */
export function readPiece(text: string): { piece: Piece; cid: string } {
  const piece = parsePieceCid(text)
  return { piece, cid: encodePieceCid(piece) }
}
