/**
 * Frees the memory of a piece of a body by detaching it. Left to the garbage collector, the pieces of a large transfer take
 * twice the memory and much of the CPU time of receiving it.
 * Does nothing for a view of a larger buffer, such as Node's pool, because the rest of it is in use.
 *
 * @param piece has a buffer of its own, as each piece from Node's HTTP parser and each result of a cipher; must no longer be
 * in use
 */
export function freePiece(piece: Uint8Array): void {
  const { buffer } = piece
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== piece.byteLength) return
  // Node 20 has no transfer, and leaves the piece to the collector.
  if ('transfer' in buffer && typeof buffer.transfer === 'function') buffer.transfer(0)
}
