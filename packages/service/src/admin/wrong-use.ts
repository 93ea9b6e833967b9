import { CairnError } from '@cairn/protocol'

/**
 * Returns the error for invalid arguments; the exit code is 2.
 * @param hint what to do. Defaults to the help of the tool
 */
export function wrongUse(message: string, hint?: string): CairnError {
  return new CairnError('USAGE', { message, ...(hint === undefined ? {} : { hint }) })
}

/** The hint of an error that names none of its own. */
export const usageHint = new CairnError('USAGE').hint
