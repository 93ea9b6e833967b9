import { serviceErrors } from '#service-errors'
import { clientErrors } from './client-errors.ts'

export type { ErrorRow } from './error-row.ts'

/**
 * Every error code of Cairn: service, SDK, CLI, documentation and tests read this table. Messages that the specification fixes
 * are verbatim.
 */
export const errorTable = { ...clientErrors, ...serviceErrors }

/** A stable error code: the keys of the {@link errorTable}. */
export type ErrorCode = keyof typeof errorTable

/** The code of an error whose texts every client has. */
export type ClientErrorCode = keyof typeof clientErrors

/** Returns whether a text is one of our codes. */
export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && Object.hasOwn(errorTable, text)
}
