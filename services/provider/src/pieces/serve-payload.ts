import { Readable } from 'node:stream'
import { CairnError } from '@cairn/protocol'
import { chooseRange, createAddressSlots, whenClosed } from '@cairn/service'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { noteRead } from './note-read.ts'
import { openKept } from './open-kept.ts'
import { readPayload } from './read-payload.ts'

/** Maximum number of concurrent payload streams; each holds about 4 MiB. */
const streamLimits = { max: 64, maxPerAddress: 16 }
/** Bytes sent together; a reader that takes longer for them than {@link stalledMs} is disconnected. */
const sentBytes = 128 * 1024
const stalledMs = 60_000

/** Answers with the payload of a piece, or one range of it. */
export type PayloadServer = (text: string, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/**
 * Creates the payload handler. Nothing in a payload runs in a browser: it is a sandboxed download of a type that no
 * browser renders.
 */
export function createPayloadServer(context: Context): PayloadServer {
  const slots = createAddressSlots(streamLimits)
  return async (text, request, reply) => {
    const kept = await openKept(context, text)
    const { payloadBytes } = kept.piece
    const headers = headersOf(kept.row.cid)
    const { range, 'if-none-match': noneMatch } = request.headers
    const ifRange = request.headers['if-range']?.toString().trim()
    const isNamed = (one: string) => one === '*' || one.replace(/^W\//, '') === headers.etag
    if (noneMatch?.split(',').some((one) => isNamed(one.trim()))) return reply.status(304).headers(headers).send()

    const choice = ifRange === undefined || ifRange === headers.etag ? chooseRange(range, payloadBytes) : 'whole'
    if (choice === 'none') {
      reply.header('content-range', `bytes */${payloadBytes}`)
      throw new CairnError('INVALID_RANGE', { details: { sizeBytes: payloadBytes } })
    }
    const { start, end } = choice === 'whole' ? { start: 0, end: payloadBytes } : choice
    const answer = (body: Readable): FastifyReply => {
      if (choice !== 'whole') reply.status(206).header('content-range', `bytes ${start}-${end - 1}/${payloadBytes}`)
      return reply.headers({ ...headers, 'content-length': end - start }).send(body)
    }
    // An empty stream: an empty body would set the length to 0.
    if (request.method === 'HEAD') return answer(Readable.from([]))

    const release = slots.acquire(request.ip)
    if (release === undefined) throw new CairnError('OVERLOADED', { retryAfterSeconds: 5 })
    whenClosed(reply.raw, release)
    // A failure at the first bytes can still be answered; a later one breaks the connection.
    const pieces = readPayload(context, kept, { start, end })
    const first = await pieces.next()
    await noteRead(context, kept.row.cid)
    const body = Readable.from(sendAll(context, reply, first, pieces))
    // A reader that disconnected before the first byte never started the stream; the file is closed anyway.
    body.once('close', () => {
      pieces.return().catch((error: unknown) => context.log.warn({ err: error }, 'failed to close a payload'))
    })
    return answer(body)
  }
}

function headersOf(cid: string) {
  return {
    'accept-ranges': 'bytes',
    'access-control-expose-headers': 'Content-Length, Content-Range, ETag, X-Cairn-Code, X-Request-Id, Retry-After',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-disposition': `attachment; filename="${cid}"`,
    'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    'content-type': 'application/octet-stream',
    etag: `"${cid}"`,
  }
}

async function* sendAll(
  { metrics, log }: Context,
  reply: FastifyReply,
  first: IteratorResult<Uint8Array, void>,
  rest: AsyncGenerator<Uint8Array, void, undefined>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const stalled = setTimeout(() => {
    log.info('reader of a payload stalled')
    reply.raw.destroy()
  }, stalledMs)
  try {
    for (let next = first; next.done !== true; next = await rest.next()) {
      for (let offset = 0; offset < next.value.length; offset += sentBytes) {
        const bytes = next.value.subarray(offset, offset + sentBytes)
        metrics.servedBytes.inc(bytes.length)
        stalled.refresh()
        yield bytes
      }
    }
  } finally {
    clearTimeout(stalled)
  }
}
