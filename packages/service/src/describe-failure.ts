import { CairnError } from '@cairn/protocol'

/** Maximum depth of causes searched for a system code. */
const maxCauses = 8

/**
 * Describes an expected failure in one line for the log: code and message of a CairnError, and the system code below it
 * (`ECONNREFUSED`). Hosts, URLs and headers of outgoing requests are omitted, because they may contain keys.
 * @returns undefined for an unexpected error, which needs its stack
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

/** Returns the system code at any depth. */
function findSystemCode(error: unknown): string | undefined {
  let at: unknown = error
  for (let depth = 0; depth < maxCauses && at instanceof Error; depth++) {
    if (at.name === 'TimeoutError') return 'timed out'
    if (!CairnError.is(at) && 'code' in at && typeof at.code === 'string') return at.code
    at = at.cause
  }
  return undefined
}
