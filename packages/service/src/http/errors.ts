import { CairnError, type DialectName, type ErrorCode, encodeError, requestIdHeader } from '@cairn/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isClientGone } from './client-gone.ts'
import { hasUnreadBody, lingeringBody } from './linger.ts'
import { logFailure } from './log-failure.ts'
import type { Metrics } from './metrics.ts'

/** Errors of the frame, by its own codes. */
const frameCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_INVALID_JSON_BODY: 'INVALID_REQUEST',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'INVALID_REQUEST',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'INVALID_REQUEST',
  FST_ERR_BAD_URL: 'INVALID_REQUEST',
  FST_ERR_MAX_PARAM_LENGTH: 'INVALID_REQUEST',
}

/** What a service knows of errors that are not ours; undefined for those it does not know. */
export type DescribeError = (error: unknown) => CairnError | undefined

/** Any fault as one of ours: what the service knows, errors of the frame by their code, the rest as INTERNAL. */
export function toCairnError(error: unknown, describe?: DescribeError): CairnError {
  if (CairnError.is(error)) return error
  const described = describe?.(error)
  if (described !== undefined) return described
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    const code = frameCodes[error.code]
    if (code !== undefined) return new CairnError(code, { cause: error })
  }
  if (error instanceof Error && 'statusCode' in error && error.statusCode === 400) {
    return new CairnError('INVALID_REQUEST', { cause: error })
  }
  return new CairnError('INTERNAL', { cause: error })
}

/**
 * Sends an error in a dialect, with the request's id; logs what its caller cannot fix. A client that went away is no fault: the
 * frame counts it when the connection closes.
 */
export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  dialect: DialectName,
  fault: unknown,
  metrics: Metrics,
  describe?: DescribeError,
): FastifyReply {
  const error = toCairnError(fault, describe)
  if (isClientGone(fault)) {
    request.log.info({ call: request.routeOptions.config.callId }, 'the client went away')
    // There is no one to answer, and the frame would say so in the log.
    if (reply.raw.destroyed) return reply.hijack()
  }
  const named = new CairnError(error.code, {
    message: error.message,
    hint: error.hint,
    details: error.details,
    requestId: request.id,
    ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
  })
  const encoded = encodeError(dialect, named)
  metrics.errors.inc({ code: error.code })
  if (!isClientGone(fault)) logFailure(request, request.server.cairnFailures, error, fault)
  reply
    .status(encoded.status)
    .headers({ ...encoded.headers, 'cache-control': 'no-store', [requestIdHeader]: request.id })
  // One that was too slow for its limit is not waited for any longer, however short its rest.
  const isWorthReading = error.code !== 'REQUEST_TIMEOUT' && !hasUnreadBody(request.raw)
  if (request.raw.complete || isWorthReading) return reply.send(encoded.body)
  // A body that was not read to its end would be taken for the next request.
  return reply
    .headers({ connection: 'close', 'content-length': Buffer.byteLength(encoded.body) })
    .send(lingeringBody(encoded.body, request.raw))
}
