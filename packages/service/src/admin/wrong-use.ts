import { CairnError } from '@cairn/protocol'

/** Returns the error for invalid arguments; the exit code is 2. */
export function wrongUse(message: string): CairnError {
  return new CairnError('USAGE', { message })
}
