import { CairnError } from '@cairn/protocol'

/** Returns the error of a command that the operator interrupted. */
export function interrupted(): CairnError {
  return new CairnError('ABORTED', { message: 'Interrupted', hint: 'Run the command again to continue.' })
}
