import { Readable } from 'node:stream'
import { KIB } from '@cairn/protocol'
import type { FastifyReply } from 'fastify'

const linePieceCharacters = 64 * KIB

/** Answers as Kubo does, with any number of JSON lines. */
export function sendLines(reply: FastifyReply, lines: Iterable<unknown> | AsyncIterable<unknown>): FastifyReply {
  return sendJson(reply, toTexts(lines))
}

/** Answers as Kubo does, with JSON that is written in parts. */
export function sendJson(reply: FastifyReply, parts: AsyncIterable<string>): FastifyReply {
  return reply
    .header('content-type', 'application/json')
    .header('x-chunked-output', '1')
    .send(Readable.from(joinTexts(parts), { objectMode: false }))
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

async function* toTexts(lines: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<string, void, undefined> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`
}

/** Joins texts into pieces of a suitable size; at least one piece, because an empty stream would send no headers. */
async function* joinTexts(texts: AsyncIterable<string>): AsyncGenerator<Buffer, void, undefined> {
  let piece = ''
  for await (const text of texts) {
    piece += text
    if (piece.length < linePieceCharacters) continue
    yield Buffer.from(piece)
    piece = ''
  }
  yield Buffer.from(piece)
}
