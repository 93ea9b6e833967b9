import type { CairnError, ErrorCode } from '@cairn/protocol'
import type { FastifyRequest } from 'fastify'
import type { LogGate } from '../log-gate.ts'

/** Failures of the service itself: each is an error with its stack. */
const ownFailures: ReadonlySet<ErrorCode> = new Set([
  'INTERNAL',
  'DATA_DAMAGED',
  'PIECE_DAMAGED',
  'STORAGE_FAILED',
  'INVALID_CONFIGURATION',
])

/**
 * Logs why a request failed, unless its caller can fix it. What comes of others (a chain, a gateway, a name that nobody
 * published) is one line without a stack, and not one per request.
 * @param error what the caller is answered
 * @param thrown what was caught, with its cause
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
    failures.failed(error.code, error, 'a request could not be answered', { ...details, reqId: request.id })
  }
}
