import { CairnError, codeHeader, type EncodedError, type ErrorCode, httpStatus, parseDetails } from '@cairn/protocol'
import { writeXml } from './xml/write-xml.ts'

type Row = readonly [status: number, code: ErrorCode, message: string]

/**
 * Every S3 error code in responses, with its status, Cairn's code and its message.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
 */
const s3Errors = {
  AccessDenied: [403, 'FORBIDDEN', 'Access Denied'],
  AccessForbidden: [403, 'FORBIDDEN', 'CORSResponse: This CORS request is not allowed.'],
  AccessControlListNotSupported: [400, 'NOT_SUPPORTED', 'The bucket does not allow ACLs'],
  AuthorizationHeaderMalformed: [400, 'UNAUTHENTICATED', 'The authorization header you provided is not valid.'],
  AuthorizationQueryParametersError: [400, 'UNAUTHENTICATED', 'The query parameters of the signature are not valid.'],
  BadDigest: [400, 'INVALID_REQUEST', 'The checksum you specified did not match what we received.'],
  BucketAlreadyExists: [409, 'CONFLICT', 'The requested bucket name is not available.'],
  BucketAlreadyOwnedByYou: [409, 'CONFLICT', 'You already own the bucket.'],
  BucketNotEmpty: [409, 'CONFLICT', 'The bucket you tried to delete is not empty.'],
  EntityTooLarge: [400, 'PAYLOAD_TOO_LARGE', 'Your proposed upload exceeds the maximum allowed size.'],
  EntityTooSmall: [400, 'INVALID_REQUEST', 'Your proposed upload is smaller than the minimum allowed size.'],
  IllegalLocationConstraintException: [
    400,
    'INVALID_REQUEST',
    'The location constraint does not match the region of this service.',
  ],
  IllegalVersioningConfigurationException: [
    400,
    'INVALID_REQUEST',
    'The Versioning element must be specified as Enabled or Suspended.',
  ],
  IncompleteBody: [400, 'INVALID_REQUEST', 'You did not provide the number of bytes specified.'],
  InternalError: [500, 'INTERNAL', 'We encountered an internal error. Please try again.'],
  InvalidAccessKeyId: [403, 'UNAUTHENTICATED', 'The access key ID you provided does not exist or is no longer valid.'],
  InvalidArgument: [400, 'INVALID_REQUEST', 'Invalid Argument'],
  InvalidBucketName: [400, 'INVALID_REQUEST', 'The specified bucket is not valid.'],
  InvalidDigest: [400, 'INVALID_REQUEST', 'The digest you specified is not valid.'],
  InvalidPart: [400, 'INVALID_REQUEST', 'One or more of the specified parts could not be found, or has another ETag.'],
  InvalidPartNumber: [416, 'INVALID_RANGE', 'The requested partnumber is not satisfiable'],
  InvalidPartOrder: [400, 'INVALID_REQUEST', 'The list of parts was not in ascending order.'],
  InvalidPolicyDocument: [
    400,
    'INVALID_REQUEST',
    'The content of the form does not meet the conditions specified in the policy document.',
  ],
  InvalidRange: [416, 'INVALID_RANGE', 'The requested range is not satisfiable'],
  InvalidRequest: [400, 'INVALID_REQUEST', 'The request is not valid.'],
  InvalidStorageClass: [400, 'INVALID_REQUEST', 'The storage class you specified is not valid.'],
  InvalidTag: [400, 'INVALID_REQUEST', 'The tag provided was not a valid tag.'],
  KeyTooLongError: [400, 'INVALID_REQUEST', 'Your key is too long.'],
  MalformedXML: [400, 'INVALID_REQUEST', 'The XML you provided was not well formed or did not validate.'],
  MaxPostPreDataLengthExceeded: [
    400,
    'INVALID_REQUEST',
    'Your POST request fields preceding the upload file were too large.',
  ],
  MetadataTooLarge: [400, 'INVALID_REQUEST', 'Your metadata headers exceed the maximum allowed metadata size.'],
  MethodNotAllowed: [405, 'METHOD_NOT_ALLOWED', 'The specified method is not allowed against this resource.'],
  MissingContentLength: [411, 'INVALID_REQUEST', 'You must provide the Content-Length HTTP header.'],
  MissingSecurityHeader: [400, 'INVALID_REQUEST', 'Your request is missing a required header.'],
  NoSuchBucket: [404, 'NOT_FOUND', 'The specified bucket does not exist'],
  NoSuchBucketPolicy: [404, 'NOT_FOUND', 'The bucket policy does not exist'],
  NoSuchCORSConfiguration: [404, 'NOT_FOUND', 'The CORS configuration does not exist'],
  NoSuchKey: [404, 'NOT_FOUND', 'The specified key does not exist.'],
  NoSuchLifecycleConfiguration: [404, 'NOT_FOUND', 'The lifecycle configuration does not exist'],
  NoSuchPublicAccessBlockConfiguration: [404, 'NOT_FOUND', 'The public access block configuration was not found'],
  NoSuchTagSet: [404, 'NOT_FOUND', 'The TagSet does not exist'],
  NoSuchUpload: [404, 'NOT_FOUND', 'The specified multipart upload does not exist.'],
  NoSuchWebsiteConfiguration: [404, 'NOT_FOUND', 'The specified bucket does not have a website configuration'],
  NoSuchVersion: [404, 'NOT_FOUND', 'The specified version does not exist.'],
  NotImplemented: [
    501,
    'NOT_SUPPORTED',
    'A header or parameter you provided implies functionality that is not supported.',
  ],
  ObjectLockConfigurationNotFoundError: [404, 'NOT_FOUND', 'Object Lock configuration does not exist for this bucket'],
  OperationAborted: [409, 'CONFLICT', 'A conflicting operation is in progress against this resource. Try again.'],
  OwnershipControlsNotFoundError: [404, 'NOT_FOUND', 'The bucket ownership controls were not found'],
  PreconditionFailed: [412, 'PRECONDITION_FAILED', 'At least one of the preconditions you specified did not hold'],
  QuotaExceeded: [403, 'QUOTA_EXCEEDED', 'The account has too little storage for these bytes.'],
  ReplicationConfigurationNotFoundError: [404, 'NOT_FOUND', 'The replication configuration was not found'],
  RequestTimeTooSkewed: [403, 'UNAUTHENTICATED', 'The difference between the request time and our time is too large.'],
  RequestTimeout: [400, 'REQUEST_TIMEOUT', 'Your connection was not read from or written to within the timeout.'],
  ServerSideEncryptionConfigurationNotFoundError: [
    404,
    'NOT_FOUND',
    'The server side encryption configuration was not found',
  ],
  ServiceUnavailable: [503, 'UNAVAILABLE', 'Please try again later.'],
  SignatureDoesNotMatch: [403, 'INVALID_SIGNATURE', 'The signature does not match: check the secret access key.'],
  SlowDown: [503, 'RATE_LIMITED', 'Please reduce your request rate.'],
  StorageFull: [507, 'STORAGE_FULL', 'The service has too little storage for these bytes.'],
  TooManyBuckets: [400, 'INVALID_REQUEST', 'You have attempted to create more buckets than allowed.'],
  XAmzContentSHA256Mismatch: [400, 'INVALID_REQUEST', 'The provided x-amz-content-sha256 does not match the body.'],
} as const satisfies Record<string, Row>

/** An S3 error code. */
export type S3Code = keyof typeof s3Errors

/** S3 codes of Cairn's errors. Errors without a row become `InvalidRequest` or `InternalError`. */
const codesFromBelow: Partial<Record<ErrorCode, S3Code>> = {
  ABORTED: 'RequestTimeout',
  API_KEY_EXPIRED: 'InvalidAccessKeyId',
  API_KEY_REVOKED: 'InvalidAccessKeyId',
  ACCOUNT_BLOCKED: 'AccessDenied',
  CONFLICT: 'OperationAborted',
  CONTENT_DENIED: 'AccessDenied',
  CONTENT_DENIED_BY_LAW: 'AccessDenied',
  FORBIDDEN: 'AccessDenied',
  FREE_ACCOUNTS_EXHAUSTED: 'QuotaExceeded',
  FREE_STORAGE_EXHAUSTED: 'QuotaExceeded',
  FREE_STORAGE_PAUSED: 'QuotaExceeded',
  // The upload reader's code for a body that ends too early.
  INVALID_MULTIPART: 'IncompleteBody',
  INVALID_RANGE: 'InvalidRange',
  METHOD_NOT_ALLOWED: 'MethodNotAllowed',
  NOT_FOUND: 'NoSuchKey',
  NOT_SUPPORTED: 'NotImplemented',
  OVERLOADED: 'SlowDown',
  PAYLOAD_TOO_LARGE: 'EntityTooLarge',
  PRECONDITION_FAILED: 'PreconditionFailed',
  QUOTA_EXCEEDED: 'QuotaExceeded',
  RATE_LIMITED: 'SlowDown',
  REQUEST_TIMEOUT: 'RequestTimeout',
  STORAGE_FULL: 'StorageFull',
  UNAUTHENTICATED: 'AccessDenied',
  UNAVAILABLE: 'ServiceUnavailable',
}

type S3Facts = Readonly<Record<string, string | number>>

type S3ErrorOptions = {
  cause?: unknown
  /** Headers of the response. */
  headers?: Readonly<Record<string, string>>
}

/** An error with a code of S3. */
class S3Error extends CairnError {
  readonly s3Code: S3Code
  /** Values in elements of their own, such as `Region`. */
  readonly facts: S3Facts
  readonly headers: Readonly<Record<string, string>>

  constructor(s3Code: S3Code, facts: S3Facts, message: string | undefined, { cause, headers = {} }: S3ErrorOptions) {
    const [, code, text] = s3Errors[s3Code]
    // Bodies of S3 have facts of their own.
    super(code, { message: message ?? text, cause, details: parseDetails(code, {}) })
    this.s3Code = s3Code
    this.facts = facts
    this.headers = headers
  }
}

/**
 * Creates an error with an S3 code.
 * @param message replaces the message of the table
 * @param facts values that S3 returns in separate elements, such as `Region`
 */
export function s3Error(
  s3Code: S3Code,
  message?: string,
  facts: S3Facts = {},
  options: S3ErrorOptions = {},
): CairnError {
  return new S3Error(s3Code, facts, message, options)
}

/** Returns the S3 code of an error. */
export function s3CodeOf(error: CairnError): S3Code {
  if (error instanceof S3Error) return error.s3Code
  return codesFromBelow[error.code] ?? (httpStatus(error) < 500 ? 'InvalidRequest' : 'InternalError')
}

/** Writes the XML body of an error. */
export function writeErrorXml(error: CairnError, requestId: string): string {
  const facts = error instanceof S3Error ? Object.entries(error.facts) : []
  return writeXml(
    'Error',
    {
      Code: s3CodeOf(error),
      Message: error.message,
      ...Object.fromEntries(facts.map(([name, value]) => [name, String(value)])),
      RequestId: requestId,
      Hint: error instanceof S3Error ? undefined : error.hint,
    },
    { hasNamespace: false },
  )
}

/** Encodes an error as an S3 response. */
export function encodeS3Error(error: CairnError, requestId: string): EncodedError {
  const [status] = s3Errors[s3CodeOf(error)]
  return {
    status,
    headers: {
      'content-type': 'application/xml',
      ...(error instanceof S3Error ? error.headers : {}),
      [codeHeader]: error.code,
      ...(error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) }),
    },
    body: writeErrorXml(error, requestId),
  }
}
