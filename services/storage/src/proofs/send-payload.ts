import type { ServerResponse } from 'node:http'
import { CairnError } from '@cairn/protocol'
import { logFailure } from '@cairn/service'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Sends a body whose pieces share one buffer: the kernel has taken each before the next is read. The first is read before
 * the headers are sent, so that an early failure is still answered; a later one destroys the connection.
 * @throws what the source throws before anything was sent
 */
export async function sendPayload(
  request: FastifyRequest,
  reply: FastifyReply,
  source: AsyncIterable<Uint8Array>,
): Promise<FastifyReply> {
  const response = reply.raw
  try {
    for await (const piece of source) {
      if (!response.headersSent) {
        response.writeHead(reply.statusCode, toHeaders(reply))
        reply.hijack()
      }
      if (request.method === 'HEAD') break
      await write(response, piece)
    }
    response.end()
  } catch (error) {
    if (!response.headersSent) throw error
    response.destroy()
    logFailure(request, request.server.cairnFailures, CairnError.from(error), error)
  }
  return reply
}

function toHeaders(reply: FastifyReply): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) headers[name] = String(value)
  }
  return headers
}

/** Resolves when the kernel has taken a piece. @throws CairnError ABORTED when the connection closes before */
function write(response: ServerResponse, piece: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(new CairnError('ABORTED', { message: 'The provider disconnected' }))
    if (response.destroyed) return gone()
    response.once('close', gone)
    response.write(piece, (error) => {
      response.off('close', gone)
      if (error) gone()
      else resolve()
    })
  })
}
