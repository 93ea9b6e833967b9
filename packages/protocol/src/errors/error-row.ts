/** The properties of a code: HTTP status, message, hint, and whether a retry may help. */
export type ErrorRow = { status: number; message: string; hint: string; retry: boolean }

export function row(status: number, message: string, hint: string, retry = false): ErrorRow {
  return { status, message, hint, retry }
}
