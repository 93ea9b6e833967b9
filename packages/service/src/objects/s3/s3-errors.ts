import { CairnError } from '@cairn/protocol'
import { endsEarly, missing } from '../object-errors.ts'

/** Maximum length of a store's own message that is passed on. */
const maxMessageCharacters = 300
const fullNames: readonly string[] = ['InsufficientStorage', 'QuotaExceeded', 'XMinioStorageFull']

/** A failed call, as answered by the store. */
export type S3Failure = {
  /** Error code of S3, such as NoSuchKey, or the name of a local error. */
  readonly code: string
  /** HTTP status; undefined when no answer came. */
  readonly status: number | undefined
  readonly message: string
}

/**
 * A failed S3 call, as the cause of a CairnError. Copies no other field of the SDK's error, because errors about
 * rejected signatures contain credentials.
 */
class S3CallError extends Error {
  override readonly name = 'S3CallError'
  readonly failure: S3Failure

  constructor(what: string, failure: S3Failure) {
    const { code, status, message } = failure
    super(`S3 cannot ${what}: ${code}${status === undefined ? '' : ` (HTTP ${status})`}: ${message}`)
    this.failure = failure
  }
}

/** Reads an error thrown by the SDK. */
export function readFailure(error: unknown): S3Failure {
  if (!(error instanceof Error)) return { code: 'Unknown', status: undefined, message: String(error) }
  const metadata = '$metadata' in error ? error.$metadata : undefined
  const status =
    typeof metadata === 'object' && metadata !== null && 'httpStatusCode' in metadata
      ? metadata.httpStatusCode
      : undefined
  return {
    code: error.name,
    status: typeof status === 'number' ? status : undefined,
    message: error.message.slice(0, maxMessageCharacters),
  }
}

/** Whether the store rejected the call permanently. Otherwise it may have taken effect, or may later. */
function isRefused({ status }: S3Failure): boolean {
  if (status === undefined || [408, 409, 429].includes(status)) return false
  // A permanent redirect is how AWS refuses a bucket of another region.
  return (status >= 400 && status < 500) || status === 301 || status === 501
}

/** Maps a failed call to STORAGE_FULL, STORAGE_FAILED (rejected permanently) or UNAVAILABLE. */
export function describeS3Error(error: unknown, what: string): CairnError {
  if (CairnError.is(error)) return error
  const failure = readFailure(error)
  const cause = new S3CallError(what, failure)
  if (fullNames.includes(failure.code) || failure.status === 507) return new CairnError('STORAGE_FULL', { cause })
  if (isRefused(failure)) return new CairnError('STORAGE_FAILED', { cause })
  return new CairnError('UNAVAILABLE', { message: 'The object store does not respond', cause, retryAfterSeconds: 5 })
}

/** Whether the store rejected a write because the key is in use. */
export function isPreconditionFailed(error: unknown): boolean {
  return CairnError.is(error) && error.cause instanceof S3CallError && error.cause.failure.status === 412
}

/** Maps a failed first call of a process to INVALID_CONFIGURATION when only an operator can fix it. */
export function describeOpenError(error: unknown, bucket: string): unknown {
  if (!(CairnError.is(error) && error.cause instanceof S3CallError)) return error
  const { failure, message } = error.cause
  if (!isRefused(failure) && failure.code !== 'CredentialsProviderError') return error
  return new CairnError('INVALID_CONFIGURATION', {
    message: `The bucket ${bucket} cannot be used. ${message}`,
    hint: 'Check CAIRN_OBJECTS_URL, CAIRN_S3_ENDPOINT, CAIRN_S3_REGION and the credentials (docs/operate/s3.md).',
    cause: error.cause,
  })
}

/** Maps a failed read of an object to DATA_DAMAGED when the store reports that it is gone or too short. */
export function describeReadFailure(error: unknown, key: string, at: number): CairnError {
  const { code, status } = readFailure(error)
  if (code === 'NoSuchKey') return missing(key)
  if (code === 'InvalidRange' || status === 416) return endsEarly(key, at)
  return describeS3Error(error, 'read an object')
}
