import { Readable } from 'node:stream'
import { KIB } from '@cairn/protocol'
import type { FastifyReply } from 'fastify'

const linePieceCharacters = 64 * KIB

/** Answers as Kubo does: JSON lines, which may be many. */
export function sendLines(reply: FastifyReply, lines: Iterable<unknown> | AsyncIterable<unknown>): FastifyReply {
  return reply
    .header('content-type', 'application/json')
    .header('x-chunked-output', '1')
    .send(Readable.from(joinLines(lines), { objectMode: false }))
}

/** Answers with bytes; an error in the middle cuts the connection, which clients notice. */
export function sendBytes(
  reply: FastifyReply,
  bytes: AsyncIterable<Uint8Array> | Uint8Array,
  contentType = 'text/plain',
): FastifyReply {
  const body = bytes instanceof Uint8Array ? [bytes] : bytes
  return reply
    .header('content-type', contentType)
    .header('x-stream-output', '1')
    .send(Readable.from(body, { objectMode: false, highWaterMark: 1024 * KIB }))
}

/** Lines of JSON in pieces worth a write of their own; one piece at least, for an empty stream has no beginning. */
async function* joinLines(lines: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<Buffer, void, undefined> {
  let piece = ''
  for await (const line of lines) {
    piece += `${JSON.stringify(line)}\n`
    if (piece.length < linePieceCharacters) continue
    yield Buffer.from(piece)
    piece = ''
  }
  yield Buffer.from(piece)
}
