import * as v from 'valibot'
import { authErrors, defineCall, deniedErrors, shortageErrors } from '../call.ts'
import { maxJsonBodyBytes } from '../limits.ts'
import { uploadedSchema } from './uploads.ts'

/** Supported version of the tus protocol. @see https://tus.io/protocols/resumable-upload */
export const tusVersion = '1.0.0'
/** Supported tus extensions. */
export const tusExtensions = ['creation', 'expiration', 'termination'] as const
/** Media type of the body of a `PATCH`. */
export const tusBodyType = 'application/offset+octet-stream'
/** Maximum length of `Upload-Metadata` in characters. */
export const maxUploadMetadataCharacters = 8192

/** Checked by the service, which answers another version with 412 and its own version. */
const tusHeader = { 'tus-resumable': v.optional(v.string()) }
const idParams = v.object({ id: v.pipe(v.string(), v.uuid()) })

/**
 * State of an upload. `receiving`: bytes are missing. `storing`: all bytes are there and are being imported. `stored`:
 * it is listed, and `result` has the CIDs. `failed`: the bytes are not what they claimed to be, and were removed.
 */
export const uploadStates = ['receiving', 'storing', 'stored', 'failed'] as const
export type UploadState = (typeof uploadStates)[number]

const uploadInfo = {
  id: v.string(),
  state: v.picklist(uploadStates),
  lengthBytes: v.number(),
  offsetBytes: v.number(),
  name: v.nullable(v.string()),
  createdAt: v.number(),
  /**
   * Expiry in ms since 1970: an unfinished upload is then removed with its bytes, the record of a finished one with it.
   */
  expiresAt: v.number(),
}

/** Status of an upload in parts. */
export const uploadInfoSchema = v.object({
  ...uploadInfo,
  /** The stored content: one item, or one per encrypted file. */
  result: v.optional(v.array(uploadedSchema)),
  /** Reason of the failure. */
  error: v.optional(v.object({ code: v.string(), message: v.string(), hint: v.string() })),
})
export type UploadInfo = v.InferOutput<typeof uploadInfoSchema>

/** `OPTIONS /api/uploads`: returns the supported parts of tus. */
export const getTusOptions = defineCall({
  id: 'getTusOptions',
  method: 'OPTIONS',
  path: '/api/uploads',
  host: 'api',
  tag: 'Resumable uploads',
  summary: 'Get the supported tus features',
  auth: 'none',
  response: { kind: 'none', description: 'In the headers `Tus-Version`, `Tus-Extension` and `Tus-Max-Size`' },
  status: 204,
  errors: [],
  dialect: 'api',
  limits: { perMinute: 600 },
  idempotent: true,
})

/** `POST /api/uploads`: starts an upload whose bytes arrive in parts. */
export const createUpload = defineCall({
  id: 'createUpload',
  method: 'POST',
  path: '/api/uploads',
  host: 'api',
  tag: 'Resumable uploads',
  summary: 'Start a resumable upload',
  description:
    'tus 1.0.0 (creation). Reserves `Upload-Length` bytes and returns `Location`. `Upload-Metadata` can contain `filename`, `filetype`, `cid-version`, `profile`, `wrap-with-directory`, `encryption` and `body-type`. `body-type` states the format of the bytes: `multipart/form-data; boundary=…` as for `/api/v0/add`, or `application/vnd.ipld.car`. Without it, the bytes are a file. `idempotency-key` is a random text from the client, such as a UUID; repeating the call with it returns the same upload. The token of an upload link authorizes the four calls of an upload, like an API key, but accepts only the metadata `filename`, `filetype` and `idempotency-key`.',
  auth: 'apiKey',
  scope: 'files:write',
  headers: v.object({
    ...tusHeader,
    'upload-length': v.pipe(
      v.string(),
      v.regex(/^\d{1,15}$/, 'Upload-Length must be a whole number'),
      v.transform(Number),
    ),
    'upload-metadata': v.optional(v.pipe(v.string(), v.maxLength(maxUploadMetadataCharacters))),
  }),
  response: { kind: 'none', description: 'The upload is at `Location`' },
  status: 201,
  errors: [
    ...authErrors,
    'GONE',
    'PRECONDITION_FAILED',
    'INVALID_MULTIPART',
    'INVALID_PATH',
    'INVALID_CID_VERSION',
    ...shortageErrors,
    'UPLOAD_LIMIT',
    'STORAGE_FULL',
    'STORAGE_FAILED',
    'CONFLICT',
  ],
  dialect: 'api',
  limits: { bodyBytes: maxJsonBodyBytes, perMinute: 600 },
  // Without an idempotency key, a repeated call starts a second upload, which occupies space until it expires.
  idempotent: false,
})

/** `GET /api/uploads`: lists the uploads in parts of the account, newest first. */
export const listOpenUploads = defineCall({
  id: 'listOpenUploads',
  method: 'GET',
  path: '/api/uploads',
  host: 'api',
  tag: 'Resumable uploads',
  summary: 'List unfinished uploads',
  auth: 'apiKey',
  scope: 'files:read',
  response: { kind: 'json', schema: v.object({ uploads: v.array(v.object(uploadInfo)) }) },
  errors: [...authErrors],
  dialect: 'api',
  limits: { perMinute: 600 },
  idempotent: true,
})

/** `HEAD` and `GET /api/uploads/{id}`: returns the progress and result of an upload. */
export const getUpload = defineCall({
  id: 'getUpload',
  method: 'GET',
  path: '/api/uploads/{id}',
  host: 'api',
  tag: 'Resumable uploads',
  summary: 'Get the progress of an upload',
  description:
    'tus 1.0.0: `HEAD` returns `Upload-Offset` and `Upload-Length`. `GET` returns the same headers, and the CIDs when the upload is stored, for example after a lost response.',
  auth: 'apiKey',
  scope: 'files:write',
  params: idParams,
  headers: v.object(tusHeader),
  response: { kind: 'json', schema: uploadInfoSchema },
  errors: [...authErrors, 'GONE', 'PRECONDITION_FAILED'],
  dialect: 'api',
  limits: { perMinute: 6000 },
  idempotent: true,
})

/** `PATCH /api/uploads/{id}`: appends bytes. */
export const sendUploadBytes = defineCall({
  id: 'sendUploadBytes',
  method: 'PATCH',
  path: '/api/uploads/{id}',
  host: 'api',
  tag: 'Resumable uploads',
  summary: 'Send bytes of an upload',
  description:
    'tus 1.0.0. The bytes start at `Upload-Offset`, which must equal the current offset of the upload. Bytes received before an interruption are kept. The response to the last byte is sent when the content is durable and listed. `GET` returns its CID. If storing failed, an empty `PATCH` at the end retries it.',
  auth: 'apiKey',
  scope: 'files:write',
  params: idParams,
  headers: v.object({
    ...tusHeader,
    'upload-offset': v.optional(
      v.pipe(v.string(), v.regex(/^\d{1,15}$/, 'Upload-Offset must be a whole number'), v.transform(Number)),
    ),
  }),
  body: { kind: 'bytes', mediaType: tusBodyType, description: 'The bytes from `Upload-Offset`.' },
  response: { kind: 'none', description: 'The new offset is in `Upload-Offset`' },
  status: 204,
  errors: [
    ...authErrors,
    'GONE',
    ...deniedErrors,
    'PRECONDITION_FAILED',
    'UPLOAD_OFFSET',
    'UPLOAD_BUSY',
    'INVALID_MULTIPART',
    'NO_FILE',
    'DUPLICATE_NAME',
    'INVALID_PATH',
    'TOO_MANY_PARTS',
    'INVALID_CAR',
    'BLOCK_HASH_MISMATCH',
    'INCOMPLETE_DAG',
    'DAG_TOO_DEEP',
    'UNSUPPORTED_CODEC',
    ...shortageErrors,
    'DATA_DAMAGED',
    'STORAGE_FULL',
    'STORAGE_FAILED',
    'CONFLICT',
  ],
  dialect: 'api',
  limits: { perMinute: 6000 },
  idempotent: true,
})

/** `DELETE /api/uploads/{id}`: cancels an upload, or removes the record of a finished one. Stored content stays. */
export const cancelUpload = defineCall({
  id: 'cancelUpload',
  method: 'DELETE',
  path: '/api/uploads/{id}',
  host: 'api',
  tag: 'Resumable uploads',
  summary: 'Cancel an upload',
  description:
    'tus 1.0.0 (termination). Removes the bytes of the upload and releases its reservation. Stored content is kept.',
  auth: 'apiKey',
  scope: 'files:write',
  params: idParams,
  headers: v.object(tusHeader),
  response: { kind: 'none' },
  status: 204,
  errors: [...authErrors, 'GONE', 'PRECONDITION_FAILED'],
  dialect: 'api',
  limits: { perMinute: 600 },
  idempotent: true,
})
