import { CairnError } from '@cairn/protocol'
import { missing } from './object-errors.ts'

const fullCodes: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG']
const busyCodes: readonly unknown[] = ['EMFILE', 'ENFILE', 'ENOMEM']

/** Maps a failed write, sync or rename to STORAGE_FULL, OVERLOADED (out of descriptors) or STORAGE_FAILED. */
export function describeWriteError(error: unknown): CairnError {
  if (CairnError.is(error)) return error
  if (fullCodes.includes(errnoOf(error))) return new CairnError('STORAGE_FULL', { cause: error })
  return describeBusyError(error) ?? new CairnError('STORAGE_FAILED', { cause: error })
}

/** Maps an error of a process that is out of descriptors or memory to OVERLOADED: it is busy, not broken. */
export function describeBusyError(error: unknown): CairnError | undefined {
  return busyCodes.includes(errnoOf(error))
    ? new CairnError('OVERLOADED', { cause: error, retryAfterSeconds: 2 })
    : undefined
}

/**
 * Maps a failed read of an object to DATA_DAMAGED when it is gone or the disk cannot read it, else as a failed write.
 */
export function describeReadError(error: unknown, key: string): CairnError {
  const code = errnoOf(error)
  if (code !== 'ENOENT' && code !== 'EIO') return describeWriteError(error)
  if (code === 'ENOENT') return missing(key, error)
  return new CairnError('DATA_DAMAGED', {
    message: 'A stored object cannot be read',
    cause: error,
    details: { object: key },
  })
}

/** Returns the system error code, such as ENOENT. */
export function errnoOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
