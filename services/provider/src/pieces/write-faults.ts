import { CairnError } from '@cairn/protocol'

/** The system's code of an error, such as ENOENT. */
export function errnoOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

const fullCodes: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG']

/** What a failed write, sync or rename means: STORAGE_FULL or STORAGE_FAILED. Our own errors stay as they are. */
export function toWriteFault(error: unknown): CairnError {
  if (CairnError.is(error)) return error
  return new CairnError(fullCodes.includes(errnoOf(error)) ? 'STORAGE_FULL' : 'STORAGE_FAILED', { cause: error })
}
