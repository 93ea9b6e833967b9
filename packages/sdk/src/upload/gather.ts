/** Smaller chunks are joined: many small writes cost more than one copy. */
export const gatherBytes = 256 * 1024
/** Time after which joined chunks are passed on, however few: receivers treat a long silence as a lost sender. */
const maxGatherMs = 1000

/** A chunk without bytes: passes on what was joined before it, although nothing else comes for a while. */
export const passOn = new Uint8Array(0)

/**
 * Joins small chunks into larger ones; large ones pass unchanged. The sender of a chunk may still use it while it reads the next
 * one, and has sent it when it reads the one after that. So that this holds for the source, too, at most one chunk is read between
 * a large one and the next that is passed on.
 */
export async function* gather(
  pieces: AsyncIterable<Uint8Array>,
  now = () => performance.now(),
): AsyncGenerator<Uint8Array, void, undefined> {
  // Two buffers: one may still be on its way out while the other fills.
  let buffer = new Uint8Array(gatherBytes)
  let other = new Uint8Array(gatherBytes)
  let filled = 0
  let since = 0
  const take = (): Uint8Array => {
    const taken = buffer.subarray(0, filled)
    ;[buffer, other] = [other, buffer]
    filled = 0
    return taken
  }
  let isLargeOnItsWay = false
  for await (const piece of pieces) {
    if (filled + piece.length > gatherBytes && filled) yield take()
    if (piece.length >= gatherBytes) yield piece
    else {
      if (!filled) since = now()
      buffer.set(piece, filled)
      filled += piece.length
      if (isLargeOnItsWay || piece.length === 0 || now() - since > maxGatherMs) yield take()
    }
    isLargeOnItsWay = piece.length >= gatherBytes
  }
  if (filled) yield take()
}
