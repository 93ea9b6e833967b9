import { CairnError } from '@cairn/protocol'

/**
 * Returns the error of work that is aborted because its client disconnected; it is the reason of the handler's signal.
 */
export function clientGone(): CairnError<'ABORTED'> {
  return new CairnError('ABORTED', { message: 'The client disconnected' })
}

const maxCauses = 8

/** Returns whether an error is due to a disconnected client, at any depth of causes. */
export function isClientGone(error: unknown): boolean {
  let cause = error
  for (let depth = 0; depth < maxCauses && cause instanceof Error; depth++) {
    if (CairnError.is(cause, 'ABORTED')) return true
    cause = cause.cause
  }
  return false
}
