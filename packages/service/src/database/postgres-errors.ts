import { CairnError } from '@cairn/protocol'
import { ConflictError } from './conflict-error.ts'
import { connectionSettings } from './connection-settings.ts'

/** serialization_failure and deadlock_detected. */
const conflictCodes = ['40001', '40P01']
/** disk_full. */
const fullCode = '53100'
/**
 * Classes of an unavailable server: 08 connection, 53 resources, 57P shutdown, 58 system, F0 and XX internal errors;
 * 25006 a read-only standby, 57014 a statement timeout, 55P03 a lock timeout, 28 and 3D a missing login or database.
 */
const deadCode = /^(08|53|57P|58|F0|XX|28|3D|25006|57014|55P03)/
/** PgBouncer refuses what it would not pass on. */
const poolerHint = `Add ${Object.keys(connectionSettings).join(', ')} to ignore_startup_parameters of the pooler (docs/operate/scale.md).`
/** lock_not_available. */
const lockedCode = '55P03'

/** insufficient_privilege. Since version 15, only the owner of a database may create tables in it by default. */
const deniedCode = '42501'

/** An error about rights that the user of the URL lacks. */
export function deniedAccess(cause: Error): CairnError {
  return new CairnError('INVALID_CONFIGURATION', {
    message: `PostgreSQL does not let the service create and use its tables: ${cause.message}`,
    hint: 'Make the user in the URL the owner of the database, its schema and its tables.',
    cause,
  })
}

/**
 * Maps an error of `pg`: a conflict (retry), STORAGE_FULL, or UNAVAILABLE for a database that does not answer; any
 * other error, such as a violated constraint, stays unchanged.
 */
export function describePostgresError(error: unknown): unknown {
  if (!(error instanceof Error) || CairnError.is(error) || error instanceof ConflictError) return error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (conflictCodes.includes(code)) return new ConflictError('PostgreSQL asks to try again', { cause: error })
  if (code === fullCode) return new CairnError('STORAGE_FULL', { cause: error })
  // An error without a severity, which the server did not send, is a broken or refused connection, or a timeout.
  const unanswered = !('severity' in error) && !(error instanceof TypeError)
  if (deadCode.test(code) || unanswered) return new CairnError('UNAVAILABLE', { cause: error, retryAfterSeconds: 5 })
  return error
}

/** Names the database in the error of a service that cannot start. The cause contains no URL. */
export function describeFailedOpening(error: unknown): unknown {
  if (error instanceof Error && 'code' in error && error.code === deniedCode) return deniedAccess(error)
  if (!CairnError.is(error, 'UNAVAILABLE')) return error
  const { cause } = error
  // A host with several addresses fails with an error that has a code and no text.
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const reason = (cause instanceof Error && cause.message) || code || error.message
  if (code === lockedCode) {
    return new CairnError('UNAVAILABLE', {
      message: `The database cannot be migrated: ${reason}`,
      hint: 'Another transaction uses a table, such as a backup. Nothing was changed. Start again when it has ended.',
      cause: error,
      retryAfterSeconds: 5,
    })
  }
  return new CairnError('UNAVAILABLE', {
    message: `PostgreSQL is not available: ${reason}`,
    hint: reason.includes('startup parameter')
      ? poolerHint
      : 'Start it, or check the URL in the setting of the database.',
    cause: error,
    retryAfterSeconds: 5,
  })
}
