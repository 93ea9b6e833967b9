/** Smaller chunks are joined: many small writes cost more than one copy. */
const gatherBytes = 256 * 1024

/** Joins small chunks into larger ones; large ones pass unchanged. A chunk is valid until the next read. */
export async function* gather(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  // Two buffers: one may still be on its way out while the other fills.
  let buffer = new Uint8Array(gatherBytes)
  let other = new Uint8Array(gatherBytes)
  let filled = 0
  for await (const piece of pieces) {
    if (filled + piece.length > gatherBytes && filled) {
      yield buffer.subarray(0, filled)
      ;[buffer, other] = [other, buffer]
      filled = 0
    }
    if (piece.length >= gatherBytes) yield piece
    else {
      buffer.set(piece, filled)
      filled += piece.length
    }
  }
  if (filled) yield buffer.subarray(0, filled)
}
