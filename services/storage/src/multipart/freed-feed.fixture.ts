import { type Feed, feedFrom } from './read-multipart.ts'

/**
 * A feed that frees each piece once it is consumed, as that of a request does: later use of a piece reads nothing, or
 * throws.
 */
export function freedFeedFrom(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Feed {
  const feed = feedFrom(source)
  return (take) =>
    feed(async (bytes) => {
      const piece = Buffer.from(new Uint8Array(bytes).buffer)
      await take(piece)
      piece.buffer.transfer(0)
    })
}
