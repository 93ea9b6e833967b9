import { iterateStream } from '@cairn/sdk'

/** Reads a body to its end. Returns undefined as soon as it is longer than `maxBytes`, and reads no further. */
export async function readBody(
  body: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = []
  let sizeBytes = 0
  for await (const piece of body instanceof ReadableStream ? iterateStream(body) : body) {
    sizeBytes += piece.length
    if (sizeBytes > maxBytes) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
