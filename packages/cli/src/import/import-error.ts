import { type CairnError, type ErrorCode, restoreError } from '@cairn/sdk'
import { UnixfsError, type UnixfsErrorCode } from '@cairn/unixfs'
import { describeDiskError } from '../archive/collect.ts'

const codes: Partial<Record<UnixfsErrorCode, ErrorCode>> = {
  BAD_CAR: 'INVALID_CAR',
  BAD_BLOCK: 'INVALID_CAR',
  HASH_MISMATCH: 'BLOCK_HASH_MISMATCH',
  MISSING_BLOCK: 'BLOCK_NOT_FOUND',
  UNSUPPORTED: 'UNSUPPORTED_CODEC',
  TOO_DEEP: 'DAG_TOO_DEEP',
  TOO_LARGE: 'DAG_TOO_DEEP',
}

/** Maps any error of an import to a CairnError. */
export function describeImportError(cause: unknown): CairnError {
  if (cause instanceof UnixfsError) {
    return restoreError(codes[cause.code] ?? 'INVALID_CAR', {
      message: cause.message,
      details: cause.details,
      cause,
    })
  }
  return describeDiskError(cause)
}
