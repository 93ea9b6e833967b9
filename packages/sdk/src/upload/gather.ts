/** Smaller chunks are joined: many small writes cost more than one copy. */
const gatherBytes = 256 * 1024

/** Joins small chunks into larger ones; large ones pass unchanged. A chunk is valid until the next read. */
export async function* gather(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  // Two buffers: one may still be on its way out while the other fills.
  const buffers = [new Uint8Array(gatherBytes), new Uint8Array(gatherBytes)] as const
  let turn = 0
  let filled = 0
  for await (const piece of pieces) {
    if (filled + piece.length > gatherBytes && filled > 0) {
      yield (turn % 2 === 0 ? buffers[0] : buffers[1]).subarray(0, filled)
      turn++
      filled = 0
    }
    if (piece.length >= gatherBytes) yield piece
    else {
      ;(turn % 2 === 0 ? buffers[0] : buffers[1]).set(piece, filled)
      filled += piece.length
    }
  }
  if (filled > 0) yield (turn % 2 === 0 ? buffers[0] : buffers[1]).subarray(0, filled)
}
