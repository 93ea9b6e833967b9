import * as v from 'valibot'
import { authErrors, defineCall, shortageErrors } from '../call.ts'
import { jsonBodyBytesMost } from '../limits.ts'
import { uploadedSchema } from './uploads.ts'

/** The version of the tus protocol that is spoken. @see https://tus.io/protocols/resumable-upload */
export const tusVersion = '1.0.0'
/** What of its extensions. */
export const tusExtensions = ['creation', 'expiration', 'termination'] as const
/** Media type of the bytes that a `PATCH` brings. */
export const tusBodyType = 'application/offset+octet-stream'
/** Longest `Upload-Metadata` in characters. */
export const uploadMetadataCharactersMost = 8192

/** Checked by the service, which answers another version with 412 and the one it speaks. */
const tusHeader = { 'tus-resumable': v.optional(v.string()) }
const idParams = v.object({ id: v.pipe(v.string(), v.uuid()) })

/**
 * Where an upload stands. `receiving`: bytes are missing. `storing`: all are here and become content. `stored`: it is listed,
 * and `result` tells the CIDs. `failed`: the bytes are not what they were said to be, and are gone.
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
  /** When it is given up with what has come of it, or forgotten where it is over; ms since 1970. */
  expiresAt: v.number(),
}

/** An upload in parts, as the service tells it. */
export const uploadInfoSchema = v.object({
  ...uploadInfo,
  /** What was stored: one item, or one for each encrypted file. */
  result: v.optional(v.array(uploadedSchema)),
  /** Why it failed. */
  error: v.optional(v.object({ code: v.string(), message: v.string(), hint: v.string() })),
})
export type UploadInfo = v.InferOutput<typeof uploadInfoSchema>

/** `OPTIONS /api/uploads`: what of tus is spoken here. */
export const getTusOptions = defineCall({
  id: 'getTusOptions',
  method: 'OPTIONS',
  path: '/api/uploads',
  host: 'api',
  tag: 'Resumable uploads',
  summary: 'What of tus is spoken',
  auth: 'none',
  response: { kind: 'none', description: 'In the headers `Tus-Version`, `Tus-Extension` and `Tus-Max-Size`' },
  status: 204,
  errors: [],
  dialect: 'upload',
  limits: { perMinute: 600 },
  idempotent: true,
})

/** `POST /api/uploads`: begins an upload whose bytes come in parts. */
export const createUpload = defineCall({
  id: 'createUpload',
  method: 'POST',
  path: '/api/uploads',
  host: 'api',
  tag: 'Resumable uploads',
  summary: 'Begin an upload that can be resumed',
  description:
    'tus 1.0.0 (creation). Holds room for `Upload-Length` bytes and answers `Location`. `Upload-Metadata` may say `filename`, `filetype`, `cid-version`, `profile`, `wrap-with-directory`, `encryption`, and, as `body-type`, what the bytes are: a file unless said, `multipart/form-data; boundary=…` as for `/api/v0/add`, or `application/vnd.ipld.car`.',
  auth: 'apiKey',
  scope: 'files:write',
  headers: v.object({
    ...tusHeader,
    'upload-length': v.pipe(
      v.string(),
      v.regex(/^\d{1,15}$/, 'Upload-Length must be a whole number'),
      v.transform(Number),
    ),
    'upload-metadata': v.optional(v.pipe(v.string(), v.maxLength(uploadMetadataCharactersMost))),
  }),
  response: { kind: 'none', description: 'The upload is at `Location`' },
  status: 201,
  errors: [
    ...authErrors,
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
  dialect: 'upload',
  limits: { bodyBytes: jsonBodyBytesMost, perMinute: 600 },
  // Made twice it begins two, which take room until they end.
  idempotent: false,
})

/** `GET /api/uploads`: the account's uploads in parts, newest first. */
export const listOpenUploads = defineCall({
  id: 'listOpenUploads',
  method: 'GET',
  path: '/api/uploads',
  host: 'api',
  tag: 'Resumable uploads',
  summary: 'List uploads that are not over',
  auth: 'apiKey',
  scope: 'files:read',
  response: { kind: 'json', schema: v.object({ uploads: v.array(v.object(uploadInfo)) }) },
  errors: [...authErrors],
  dialect: 'upload',
  limits: { perMinute: 600 },
  idempotent: true,
})

/** `HEAD` and `GET /api/uploads/{id}`: how far an upload is, and what came of it. */
export const getUpload = defineCall({
  id: 'getUpload',
  method: 'GET',
  path: '/api/uploads/{id}',
  host: 'api',
  tag: 'Resumable uploads',
  summary: 'How far an upload is',
  description:
    'tus 1.0.0: `HEAD` answers `Upload-Offset` and `Upload-Length`. `GET` has the same headers, and the CIDs once it is stored: an answer that was lost can be read here.',
  auth: 'apiKey',
  scope: 'files:write',
  params: idParams,
  headers: v.object(tusHeader),
  response: { kind: 'json', schema: uploadInfoSchema },
  errors: [...authErrors, 'PRECONDITION_FAILED'],
  dialect: 'upload',
  limits: { perMinute: 6000 },
  idempotent: true,
})

/** `PATCH /api/uploads/{id}`: brings bytes. */
export const sendUploadBytes = defineCall({
  id: 'sendUploadBytes',
  method: 'PATCH',
  path: '/api/uploads/{id}',
  host: 'api',
  tag: 'Resumable uploads',
  summary: 'Send bytes of an upload',
  description:
    'tus 1.0.0. The bytes begin at `Upload-Offset`, which must be where the upload stands. What arrived before a connection broke is kept. Whoever brings the last byte is answered when the content is durable and listed; `GET` tells its CID. An empty `PATCH` at the end asks once more for what could not be stored then.',
  auth: 'apiKey',
  scope: 'files:write',
  params: idParams,
  headers: v.object({
    ...tusHeader,
    'upload-offset': v.optional(
      v.pipe(v.string(), v.regex(/^\d{1,15}$/, 'Upload-Offset must be a whole number'), v.transform(Number)),
    ),
  }),
  body: { kind: 'bytes', mediaType: tusBodyType, description: 'Bytes from `Upload-Offset` on.' },
  response: { kind: 'none', description: 'How far it is now is in `Upload-Offset`' },
  status: 204,
  errors: [
    ...authErrors,
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
  dialect: 'upload',
  limits: { perMinute: 6000 },
  idempotent: true,
})

/** `DELETE /api/uploads/{id}`: gives an upload up, or forgets one that is over. What is stored stays. */
export const cancelUpload = defineCall({
  id: 'cancelUpload',
  method: 'DELETE',
  path: '/api/uploads/{id}',
  host: 'api',
  tag: 'Resumable uploads',
  summary: 'Give an upload up',
  description: 'tus 1.0.0 (termination). Its bytes are removed and the room it held is free. What was stored stays.',
  auth: 'apiKey',
  scope: 'files:write',
  params: idParams,
  headers: v.object(tusHeader),
  response: { kind: 'none' },
  status: 204,
  errors: [...authErrors, 'PRECONDITION_FAILED'],
  dialect: 'upload',
  limits: { perMinute: 600 },
  idempotent: true,
})
