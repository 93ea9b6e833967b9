import { CairnError } from '@cairn/sdk'

/** Turns an unexpected error into one of this program: the messages of the table are about a service. */
export function describeFailure(cause: unknown): CairnError {
  const what = cause instanceof Error ? cause.message : String(cause)
  return new CairnError('INTERNAL', {
    message: `Unexpected error in cairn: ${what}`,
    hint: 'Report it with the command and the output of cairn --version.',
    cause,
  })
}
