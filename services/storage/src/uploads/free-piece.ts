/**
 * Frees the memory of a piece of a request body by detaching it. Left to the garbage collector, the pieces of a large
 * upload take twice the memory and much of the CPU time of receiving it.
 * Does nothing for a view of a larger buffer, such as Node's pool, because the rest of it is in use.
 *
 * @param piece comes from Node's HTTP parser, which copies each piece into a buffer of its own; must no longer be in
 * use
 */
export function freePiece(piece: Uint8Array): void {
  const { buffer } = piece
  if (buffer instanceof ArrayBuffer && buffer.byteLength === piece.byteLength) buffer.transfer(0)
}
