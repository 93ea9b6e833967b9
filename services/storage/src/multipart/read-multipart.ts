import { createMultipartParser, type MultipartLimits, type PartSink } from './multipart-parser.ts'
import type { PartHead } from './part-head.ts'

/**
 * Reads a whole multipart body, holding the source back while parts are taken. Where anything fails the source is
 * left where it stands: whoever opened it closes it.
 *
 * @throws CairnError INVALID_MULTIPART, TOO_MANY_PARTS, HEADER_TOO_LARGE, and whatever the source or the parts throw.
 */
export async function readMultipart(
  source: AsyncIterable<Uint8Array>,
  boundary: string,
  openPart: (head: PartHead) => PartSink | Promise<PartSink>,
  limits?: MultipartLimits,
): Promise<void> {
  const parser = createMultipartParser(boundary, openPart, limits)
  for await (const piece of source) {
    const pending = parser.write(piece)
    if (pending instanceof Promise) await pending
  }
  parser.end()
}
