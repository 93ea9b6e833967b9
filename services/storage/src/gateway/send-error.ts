import { CairnError, codeHeader, encodeError, maxJsonBodyBytes, requestIdHeader } from '@cairn/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { toGatewayError } from './open-path.ts'
import { everyAnswer } from './security-headers.ts'

/** Returns the error for a method that no path supports. */
export const wrongMethod = () => new CairnError('METHOD_NOT_ALLOWED', { details: { allow: 'GET, HEAD, OPTIONS' } })

/** Converts errors that the framework throws before any handler: a body that is too large, a wrong length. */
export function fromFastify(error: unknown): CairnError {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  if (status === 413) {
    return new CairnError('PAYLOAD_TOO_LARGE', { details: { limitBytes: maxJsonBodyBytes }, cause: error })
  }
  if (typeof status === 'number' && status < 500) return new CairnError('INVALID_REQUEST', { cause: error })
  return toGatewayError(error)
}

/**
 * Sends an error as a line of text; adds nothing when an answer was in progress and the connection is already cut.
 */
export function sendError(request: FastifyRequest, reply: FastifyReply, error: CairnError): void {
  const response = reply.raw
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  const { status, headers, body } = encodeGatewayError(error, request.id)
  response
    .writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) })
    .end(request.raw.method === 'HEAD' ? undefined : body)
}

/** Encodes an error as a line of text, with all headers except the length. */
export function encodeGatewayError(error: CairnError, requestId: string) {
  const { status, headers, body } = encodeError('gateway', error)
  const own = {
    [codeHeader]: error.code,
    [requestIdHeader]: requestId,
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; sandbox",
  }
  return { status, headers: { ...everyAnswer, ...headers, ...own, ...headersOf(error) }, body }
}

/** Headers that HTTP requires with some errors. */
function headersOf(error: CairnError): Record<string, string> {
  if (CairnError.is(error, 'METHOD_NOT_ALLOWED') && error.details.allow !== undefined)
    return { allow: error.details.allow }
  if (CairnError.is(error, 'INVALID_RANGE') && error.details.sizeBytes !== undefined)
    return { 'content-range': `bytes */${error.details.sizeBytes}` }
  return {}
}
