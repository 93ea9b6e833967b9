import { CairnError, type CairnErrorOptions } from './error.ts'
import { parseDetails } from './error-details.ts'
import type { ErrorCode } from './error-table.ts'

/** The options of an error whose code is known only at run time. */
export type RestoredErrorOptions = Omit<CairnErrorOptions, 'details'> & { details?: Readonly<Record<string, unknown>> }

/**
 * Creates an error whose code is known only at run time: received, stored or taken over from another error. Of the given facts,
 * it keeps those that the code has.
 */
export function restoreError(code: ErrorCode, { details = {}, ...options }: RestoredErrorOptions = {}): CairnError {
  return new CairnError(code, { ...options, details: parseDetails(code, details) })
}
