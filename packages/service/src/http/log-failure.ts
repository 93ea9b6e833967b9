import type { CairnError, ErrorCode } from '@cairn/protocol'
import type { FastifyRequest } from 'fastify'
import type { LogGate } from '../log-gate.ts'

/** Failures of the service itself: logged as errors with their stack. */
const ownFailures: ReadonlySet<ErrorCode> = new Set([
  'INTERNAL',
  'DATA_DAMAGED',
  'PIECE_DAMAGED',
  'STORAGE_FAILED',
  'INVALID_CONFIGURATION',
])

/**
 * Logs the reason of a failed request, unless its caller can fix it. An external failure (a chain, a gateway, an
 * unpublished name) is one line without a stack, and not one per request.
 * @param error the error of the response
 * @param thrown the caught error, with its cause
 */
export function logFailure(
  request: FastifyRequest,
  failures: LogGate,
  error: CairnError,
  thrown: unknown,
  details: Record<string, unknown> = {},
): void {
  if (ownFailures.has(error.code)) {
    request.log.error({ ...details, err: thrown, code: error.code }, error.message)
  } else if (error.status >= 500) {
    failures.failed(error.code, error, 'request failed', { ...details, reqId: request.id })
  }
}
