import { CairnError } from '@cairn/protocol'

/** Returns the system error code, such as ENOENT. */
export function errnoOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

const fullCodes: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG']

/** Maps a failed write, sync or rename to STORAGE_FULL or STORAGE_FAILED; returns other CairnErrors unchanged. */
export function toWriteFailure(error: unknown): CairnError {
  if (CairnError.is(error)) return error
  return new CairnError(fullCodes.includes(errnoOf(error)) ? 'STORAGE_FULL' : 'STORAGE_FAILED', { cause: error })
}
