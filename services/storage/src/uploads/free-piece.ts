/**
 * Frees the memory of a piece of a request body, which is detached by that. Left to the collector, the pieces of a large
 * upload cost twice the memory, and a good part of the processor time of receiving it.
 *
 * Does nothing for a view of a larger buffer, such as one of Node's pool: others use the rest of it.
 *
 * @param piece comes from Node's HTTP parser, which copies each piece into a buffer of its own; no one uses it any longer
 */
export function freePiece(piece: Uint8Array): void {
  const { buffer } = piece
  if (buffer instanceof ArrayBuffer && buffer.byteLength === piece.byteLength) buffer.transfer(0)
}
