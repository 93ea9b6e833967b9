import { CairnError } from '@cairn/protocol'

/** The error of work that is given up because its client has gone; it is the reason of the signal that handlers get. */
export function clientGone(): CairnError<'ABORTED'> {
  return new CairnError('ABORTED', { message: 'The client went away' })
}

const maxCauses = 8

/** Whether an error comes of a client that went away, however many others are wrapped around it. */
export function isClientGone(error: unknown): boolean {
  let cause = error
  for (let depth = 0; depth < maxCauses && cause instanceof Error; depth++) {
    if (CairnError.is(cause, 'ABORTED')) return true
    cause = cause.cause
  }
  return false
}
