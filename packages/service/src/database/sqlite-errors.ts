import { CairnError } from '@cairn/protocol'
import { ConflictError } from './conflict-error.ts'

/** Primary result codes. @see https://www.sqlite.org/rescode.html */
const sqlite = {
  busy: 5,
  locked: 6,
  readonly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  notADb: 26,
} as const

const deadCodes: readonly number[] = [sqlite.readonly, sqlite.ioError, sqlite.corrupt, sqlite.cantOpen, sqlite.notADb]

/**
 * Maps an error of `node:sqlite`: a conflict (retry), STORAGE_FULL, or UNAVAILABLE for an unusable database; any other
 * error, such as a violated constraint, stays unchanged.
 */
export function describeSqliteError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  // Thrown if the connection was closed during a statement.
  if ('code' in error && error.code === 'ERR_INVALID_STATE') return unavailable(error)
  if (!('errcode' in error) || typeof error.errcode !== 'number') return error
  const primary = error.errcode & 0xff
  if (primary === sqlite.busy || primary === sqlite.locked) {
    return new ConflictError('The database file is busy', { cause: error })
  }
  if (primary === sqlite.full) return new CairnError('STORAGE_FULL', { cause: error })
  return deadCodes.includes(primary) ? unavailable(error) : error
}

/** Names the file in the error of a database that cannot be opened. One that is damaged needs its operator. */
export function describeFailedFile(path: string, failure: unknown): unknown {
  const error = describeSqliteError(failure)
  if (!CairnError.is(error, 'UNAVAILABLE') || !(error.cause instanceof Error)) return error
  const { cause } = error
  const primary = 'errcode' in cause && typeof cause.errcode === 'number' ? cause.errcode & 0xff : 0
  if (primary === sqlite.notADb || primary === sqlite.corrupt) {
    return new CairnError('RECOVERY_NEEDED', {
      message: `${path} is damaged: ${cause.message}`,
      hint: 'Nothing was changed. Restore it from a backup. See docs/operate/backup-restore.md.',
      cause: error,
    })
  }
  return new CairnError('UNAVAILABLE', {
    message: `${path} cannot be opened: ${cause.message}`,
    hint: 'Check its owner, its permissions and the disk.',
    cause: error,
    retryAfterSeconds: 5,
  })
}

function unavailable(cause: Error): CairnError {
  return new CairnError('UNAVAILABLE', { cause, retryAfterSeconds: 5 })
}
