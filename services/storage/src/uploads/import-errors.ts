import { duplicateName, type ErrorCode, restoreError } from '@cairn/protocol'
import { UnixfsError, type UnixfsErrorCode } from '@cairn/unixfs'

const codes: Partial<Record<UnixfsErrorCode, ErrorCode>> = {
  BAD_CAR: 'INVALID_CAR',
  BAD_BLOCK: 'INVALID_CAR',
  BAD_NAME: 'INVALID_PATH',
  HASH_MISMATCH: 'BLOCK_HASH_MISMATCH',
  MISSING_BLOCK: 'INCOMPLETE_DAG',
  DUPLICATE_NAME: 'DUPLICATE_NAME',
  TOO_DEEP: 'DAG_TOO_DEEP',
  TOO_LARGE: 'DAG_TOO_DEEP',
  CYCLE: 'DAG_TOO_DEEP',
  UNSUPPORTED: 'UNSUPPORTED_CODEC',
}

/** Maps an import error to its CairnError; returns other errors unchanged. */
export function toUploadError(error: unknown): unknown {
  if (!UnixfsError.is(error)) return error
  const code = codes[error.code]
  if (code === undefined) return error
  if (error.code === 'DUPLICATE_NAME') {
    return duplicateName(String(error.details['path']), error)
  }
  return restoreError(code, { message: error.message, details: error.details, cause: error })
}
