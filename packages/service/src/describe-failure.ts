import { CairnError } from '@cairn/protocol'

/** Causes that are looked through for a system's code. */
const maxCauses = 8

/**
 * Describes a failure that a service expects, in one line for the log: code and message of ours, and the code of the system
 * below (`ECONNREFUSED`). Hosts, URLs and headers of outgoing requests stay out of it, for they may hold keys.
 * @returns undefined for an error that nobody foresaw: its stack is what is needed
 */
export function describeFailure(error: unknown): string | undefined {
  const system = findSystemCode(error)
  if (CairnError.is(error)) {
    if (error.code === 'INTERNAL') return undefined
    return `${error.code}: ${error.message}${system === undefined ? '' : ` (${system})`}`
  }
  if (!(error instanceof Error)) return undefined
  // Errors of the database and the file system name no host of an outgoing request.
  if ('code' in error && typeof error.code === 'string') return `${error.code}: ${error.message}`
  return system === undefined ? undefined : `${error.name} (${system})`
}

/** The code that the system gave for it, at whatever depth. */
function findSystemCode(error: unknown): string | undefined {
  let at: unknown = error
  for (let depth = 0; depth < maxCauses && at instanceof Error; depth++) {
    if (at.name === 'TimeoutError') return 'timed out'
    if (!CairnError.is(at) && 'code' in at && typeof at.code === 'string') return at.code
    at = at.cause
  }
  return undefined
}
