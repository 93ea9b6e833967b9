import { closeSync, openSync } from 'node:fs'
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
  // Without a code of SQLite, the error already names its file.
  if (!('errcode' in cause) || typeof cause.errcode !== 'number') return error
  const primary = cause.errcode & 0xff
  if (primary === sqlite.notADb || primary === sqlite.corrupt) {
    return new CairnError('RECOVERY_NEEDED', {
      message: `${path} is damaged: ${cause.message}`,
      hint: 'Nothing was changed. Restore it from a backup. See docs/operate/backup-restore.md.',
      cause: error,
    })
  }
  const hasFreeFiles = canOpenFiles()
  return new CairnError('UNAVAILABLE', {
    message: `${path} cannot be opened: ${hasFreeFiles ? cause.message : 'too many open files'}`,
    hint: hasFreeFiles
      ? 'Check its owner, its permissions and the disk.'
      : 'Raise the limit of open files: LimitNOFILE= in the unit, or `ulimit -n`.',
    cause: error,
    retryAfterSeconds: 5,
  })
}

/** Files that an open database has: its own, the log, and the index of the log, of two connections. */
const databaseFiles = 6

/** Whether this process may open the files of a database. SQLite does not report why it cannot open one. */
function canOpenFiles(): boolean {
  const files: number[] = []
  try {
    while (files.length < databaseFiles) files.push(openSync('/', 'r'))
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE'))
  } finally {
    for (const file of files) closeSync(file)
  }
}

function unavailable(cause: Error): CairnError {
  return new CairnError('UNAVAILABLE', { cause, retryAfterSeconds: 5 })
}
