import { clockSkewMs } from '@cairn/protocol'
import { CairnError } from '@cairn/sdk'

/** Measured once per error, because pages show it for longer. */
const measured = new WeakMap<CairnError, number | undefined>()

/**
 * Returns how far the clock of this device is ahead of that of the service which rejected a signature because of its time, in ms;
 * undefined if the time was not the reason. Call it when the error arrives.
 */
export function clockDifference(error: CairnError): number | undefined {
  if (measured.has(error)) return measured.get(error)
  const difference = measure(error)
  measured.set(error, difference)
  return difference
}

function measure(error: CairnError): number | undefined {
  const time = findTime(error)
  if (time === undefined) return undefined
  const difference = Date.now() - time
  // A message that was signed too late expires with a correct clock, too.
  return Math.abs(difference) > clockSkewMs ? difference : undefined
}

/** Returns the time of the service which rejected a signature. */
function findTime(error: unknown): number | undefined {
  if (!CairnError.is(error)) return undefined
  if (CairnError.is(error, 'CHALLENGE_EXPIRED') || CairnError.is(error, 'INVALID_SIGNATURE')) return error.details.time
  return error.code === 'KEY_SAVE_FAILED' ? findTime(error.cause) : undefined
}
