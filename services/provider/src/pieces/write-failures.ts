import { CairnError } from '@cairn/protocol'
import { errnoOf } from '@cairn/service/objects'

const fullCodes: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG']

/** Maps a failed write, sync or rename to STORAGE_FULL or STORAGE_FAILED; returns other CairnErrors unchanged. */
export function toWriteFailure(error: unknown): CairnError {
  if (CairnError.is(error)) return error
  return new CairnError(fullCodes.includes(errnoOf(error)) ? 'STORAGE_FULL' : 'STORAGE_FAILED', { cause: error })
}
