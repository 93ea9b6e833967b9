import { createMultipartParser, type MultipartLimits, type PartSink } from './multipart-parser.ts'
import type { PartHead } from './part-head.ts'

/**
 * Passes all pieces of a stream to `take`, one after the other; a promise of `take` applies backpressure. A piece is
 * valid until `take` returns or its promise settles: its memory may be freed then.
 */
export type Feed = (take: (piece: Uint8Array) => void | Promise<void>) => Promise<void>

/** Creates a feed from any iterable. */
export function feedFrom(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Feed {
  return async (take) => {
    for await (const piece of source) {
      const pending = take(piece)
      if (pending instanceof Promise) await pending
    }
  }
}

/**
 * Reads a whole multipart body, with backpressure while parts are consumed.
 *
 * @throws CairnError INVALID_MULTIPART, TOO_MANY_PARTS, HEADER_TOO_LARGE, and what the source or the parts throw.
 */
export async function readMultipart(
  feed: Feed,
  boundary: string,
  openPart: (head: PartHead) => PartSink | Promise<PartSink>,
  limits?: MultipartLimits,
): Promise<void> {
  const parser = createMultipartParser(boundary, openPart, limits)
  await feed(parser.write)
  parser.end()
}
