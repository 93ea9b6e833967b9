import { type ErrorCode, type ErrorRow, errorTable } from '@cairn/protocol'

let usual: Readonly<Record<ErrorCode, ErrorRow>> = errorTable

/** Loads the English texts of the errors that only services create: a page needs them to recognize what it translates. */
export async function loadUsualErrors(): Promise<void> {
  const { serviceErrors } = await import('@cairn/protocol/service-errors')
  usual = { ...errorTable, ...serviceErrors }
}

/** Returns the English texts that an error of a code has if it says nothing of its own. */
export function usualError(code: ErrorCode): ErrorRow {
  return usual[code]
}
