import { Readable } from 'node:stream'
import { KIB } from '@cairn/protocol'
import type { FastifyReply } from 'fastify'

const linePieceCharacters = 64 * KIB

/** Answers as Kubo does, with any number of JSON lines. */
export function sendLines(reply: FastifyReply, lines: Iterable<unknown> | AsyncIterable<unknown>): FastifyReply {
  return reply
    .header('content-type', 'application/json')
    .header('x-chunked-output', '1')
    .send(Readable.from(joinLines(lines), { objectMode: false }))
}

/** Answers with bytes; a later error cuts the connection, which clients detect. */
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

/**
 * Joins JSON lines into pieces of a suitable size; at least one piece, because an empty stream would send no headers.
 */
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
