import {
  CairnError,
  type DialectName,
  type EncodedError,
  encodeError,
  maxJsonBodyBytes,
  type PlainErrorCode,
  requestIdHeader,
  restoreError,
} from '@cairn/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isClientGone } from './connections/client-gone.ts'
import { logFailure } from './log-failure.ts'
import type { Metrics } from './metrics.ts'
import { sendUnread } from './send-unread.ts'

/** Errors of Fastify, by its codes. */
const frameCodes: Record<string, PlainErrorCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_INVALID_JSON_BODY: 'INVALID_REQUEST',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'INVALID_REQUEST',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'INVALID_REQUEST',
  FST_ERR_BAD_URL: 'INVALID_REQUEST',
  FST_ERR_MAX_PARAM_LENGTH: 'INVALID_REQUEST',
}

/** Messages for the causes of INVALID_REQUEST before a call is parsed: the text of the code names no problem. */
const frameMessages: Record<string, string> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'The request is not valid: the body is not JSON',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The request is not valid: the body is not as long as Content-Length',
  FST_ERR_BAD_URL: 'The request is not valid: the path has an invalid percent-encoding',
  FST_ERR_MAX_PARAM_LENGTH: 'The request is not valid: a part of the path is too long',
}

/** Writes an error in the form of another protocol. */
export type ErrorEncoder = (error: CairnError, requestId: string) => EncodedError

/** Maps errors of other libraries that the service knows; undefined for any other. */
export type DescribeError = (error: unknown) => CairnError | undefined

/**
 * Maps any error to a CairnError: by the mapping of the service, by the code of Fastify, or to INTERNAL.
 * @param limitBytes maximum length of the body of the request
 */
function toCairnError(error: unknown, limitBytes: number, describe: DescribeError | undefined): CairnError {
  if (CairnError.is(error)) return error
  const described = describe?.(error)
  if (described !== undefined) return described
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
      return new CairnError('PAYLOAD_TOO_LARGE', { details: { limitBytes }, cause: error })
    const code = frameCodes[error.code]
    const message = frameMessages[error.code]
    if (code !== undefined) return restoreError(code, { ...(message === undefined ? {} : { message }), cause: error })
  }
  if (error instanceof Error && 'statusCode' in error && error.statusCode === 400) {
    return new CairnError('INVALID_REQUEST', { cause: error })
  }
  return new CairnError('INTERNAL', { cause: error })
}

/**
 * Sends an error in a dialect, with the request id, and logs errors that the caller cannot fix. A disconnected client
 * is not an error: Fastify counts it when the connection closes.
 */
export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  dialect: DialectName | ErrorEncoder,
  failure: unknown,
  metrics: Metrics,
  describe?: DescribeError,
): FastifyReply {
  const error = toCairnError(failure, request.routeOptions.bodyLimit ?? maxJsonBodyBytes, describe)
  if (isClientGone(failure)) {
    request.log.info({ call: request.routeOptions.config.callId }, 'client disconnected')
    // There is no client to answer, and Fastify would log it.
    if (reply.raw.destroyed) return reply.hijack()
  }
  const named = restoreError(error.code, {
    message: error.message,
    hint: error.hint,
    details: error.details,
    requestId: request.id,
    ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
  })
  const encoded = typeof dialect === 'function' ? dialect(error, request.id) : encodeError(dialect, named)
  metrics.errors.inc({ code: error.code })
  if (!isClientGone(failure)) logFailure(request, request.server.cairnFailures, error, failure)
  reply
    .status(encoded.status)
    .headers({ ...encoded.headers, 'cache-control': 'no-store', [requestIdHeader]: request.id })
  // After a timeout, the rest of the body is not awaited, however short.
  return sendUnread(request, reply, encoded.body, { awaitsRest: error.code !== 'REQUEST_TIMEOUT' })
}
