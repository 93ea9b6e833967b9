import * as v from 'valibot'
import { authErrors, deniedErrors, makeCall, shortageErrors } from '../call.ts'
import { maxJsonBodyBytes, maxNameBytes } from '../limits.ts'
import { anyCidSchema } from '../schemas/cid.ts'
import { kuboFlag } from '../schemas/kubo-flag.ts'
import { labelText } from '../schemas/label-text.ts'
import { idempotencyKeyPattern, uploadHeaders, uploadQuery } from '../schemas/upload-parameters.ts'
import { signatureErrors } from './new-key.ts'

/**
 * Response of an upload: name, CID, and cumulative DAG size of a file or folder, in bytes as text (the `Size` of Kubo).
 */
export const uploadedSchema = v.object({ Name: v.string(), Hash: v.string(), Size: v.string() })
export type Uploaded = v.InferOutput<typeof uploadedSchema>

/** One object; an array if the header `Encryption: true` was sent; JSON lines for the clients of Kubo. */
const uploadAnswer = /* @__PURE__ */ (() => v.union([uploadedSchema, v.array(uploadedSchema)]))()

/** Paths of the uploads, separate from their calls, which are large: browsers load only the paths. */
export const uploadPaths = { files: '/api/v0/add', car: '/api/v0/dag/import' } as const

/**
 * Random text of the client, 16 to 64 letters, digits, `-` or `_`. A repeated request of the account with the same key and content
 * returns the upload that the first one stored.
 */
const idempotencyKey = /* @__PURE__ */ (() =>
  v.optional(v.pipe(v.string(), v.regex(idempotencyKeyPattern, 'must be 16 to 64 letters, digits, - or _'))))()

/** `POST /api/v0/add`: imports multipart files as UnixFS exactly as Kubo does. */
export const addFiles = /* @__PURE__ */ makeCall(() => ({
  id: 'addFiles',
  method: 'POST',
  path: uploadPaths.files,
  host: 'api',
  tag: 'Uploads',
  summary: 'Upload files or a folder',
  description:
    'Multipart, with one part named `file` per file. Slashes in file names create folders. Returns one object (the root, for a folder), an array with `Encryption: true` (one item per file, or one for the folder with `wrap-with-directory=true`), or JSON lines for Kubo clients (`stream-channels`, `progress`). The response is sent when the data is durable.',
  auth: 'apiKey',
  scope: 'files:write',
  allowsCredentials: true,
  query: v.looseObject({
    ...uploadQuery,
    'idempotency-key': idempotencyKey,
    /** Kubo: computes CIDs without storing anything. */
    'only-hash': kuboFlag,
    /** Kubo: every added file is pinned, whatever the value. */
    pin: kuboFlag,
    /** Kubo: name of the pin, which is that of the upload in lists. */
    'pin-name': v.optional(labelText(maxNameBytes)),
    progress: kuboFlag,
    'stream-channels': kuboFlag,
    /** Kubo: mode of every file and folder, octal if it begins with 0. Not with raw leaves. */
    mode: v.optional(v.string()),
    /** Kubo: modification time of everything, in seconds since 1970. Not with raw leaves. */
    mtime: v.optional(v.string()),
    /** Kubo: nanoseconds of `mtime`. */
    'mtime-nsecs': v.optional(v.string()),
    /** Kubo: stores the modes that the names of the form fields contain (`file?mode=0644`). */
    'preserve-mode': kuboFlag,
    /** Kubo: stores the times that the names of the form fields contain (`file?mtime=1700000000`). */
    'preserve-mtime': kuboFlag,
  }),
  headers: v.object(uploadHeaders),
  body: { kind: 'multipart', description: 'One part with a file name per file.' },
  response: { kind: 'json', schema: uploadAnswer },
  errors: [
    ...authErrors,
    ...deniedErrors,
    'INVALID_MULTIPART',
    'NO_FILE',
    'DUPLICATE_NAME',
    'INVALID_PATH',
    'INVALID_LABEL',
    ...signatureErrors,
    'INVALID_CID_VERSION',
    'TOO_MANY_PARTS',
    ...shortageErrors,
    'STORAGE_FULL',
    'STORAGE_FAILED',
    'CONFLICT',
  ],
  dialect: 'upload',
  limits: { perMinute: 6000 },
  idempotent: true,
}))

/** `POST /api/v0/dag/import`: imports a CAR, verified block by block, and keeps its roots. */
export const importCar = /* @__PURE__ */ makeCall(() => ({
  id: 'importCar',
  method: 'POST',
  path: uploadPaths.car,
  host: 'api',
  tag: 'Uploads',
  summary: 'Upload a CAR',
  description:
    'Multipart with one CAR (CARv1 or CARv2). Each block is verified against its CID, and every block that the roots link to must be present. Returns the first root, in Kubo’s form for Kubo clients.',
  auth: 'apiKey',
  scope: 'files:write',
  query: v.looseObject({
    'idempotency-key': idempotencyKey,
    'pin-roots': kuboFlag,
    stats: kuboFlag,
    silent: kuboFlag,
    /** Kubo: blocks beyond 2 MiB, which are always rejected here. */
    'allow-big-block': v.optional(v.picklist(['false', '0', ''])),
  }),
  headers: v.object(uploadHeaders),
  body: { kind: 'multipart', description: 'One CAR as a part with a file name.' },
  response: { kind: 'json', schema: uploadAnswer },
  errors: [
    ...authErrors,
    ...deniedErrors,
    'INVALID_MULTIPART',
    'NO_FILE',
    'INVALID_PATH',
    'INVALID_LABEL',
    ...signatureErrors,
    'TOO_MANY_PARTS',
    'INVALID_CAR',
    'BLOCK_HASH_MISMATCH',
    'INCOMPLETE_DAG',
    'DAG_TOO_DEEP',
    'UNSUPPORTED_CODEC',
    ...shortageErrors,
    'STORAGE_FULL',
    'STORAGE_FAILED',
    'CONFLICT',
  ],
  dialect: 'upload',
  limits: { perMinute: 6000 },
  idempotent: true,
}))

/**
 * `POST /api/lighthouse/pin`: pins a CID. Content that is not here yet is fetched as a CAR from the gateways that the
 * operator configured.
 */
export const pinCid = /* @__PURE__ */ makeCall(() => ({
  id: 'pinCid',
  method: 'POST',
  path: '/api/lighthouse/pin',
  host: 'api',
  tag: 'Uploads',
  summary: 'Pin a CID',
  description: 'Responds when all blocks are stored, verified and durable.',
  auth: 'apiKey',
  scope: 'files:write',
  body: {
    kind: 'json',
    schema: v.object({
      cid: anyCidSchema,
      fileName: v.optional(labelText(maxNameBytes)),
      /** The content is encrypted. Defaults to the mark of the account's newest upload of the CID, else to false. */
      encryption: v.optional(v.boolean()),
    }),
  },
  response: {
    kind: 'json',
    schema: v.object({
      message: v.string(),
      id: v.string(),
      cid: v.string(),
      fileName: v.string(),
      fileSizeInBytes: v.string(),
    }),
  },
  errors: [
    ...authErrors,
    ...deniedErrors,
    'INVALID_CID',
    'INVALID_PATH',
    'INVALID_LABEL',
    'BLOCK_NOT_FOUND',
    'BLOCK_HASH_MISMATCH',
    'INVALID_CAR',
    'INCOMPLETE_DAG',
    'DAG_TOO_DEEP',
    'UNSUPPORTED_CODEC',
    'UPSTREAM_FAILED',
    ...shortageErrors,
    'STORAGE_FULL',
    'STORAGE_FAILED',
    'CONFLICT',
  ],
  dialect: 'api',
  limits: { bodyBytes: maxJsonBodyBytes, perMinute: 120 },
  idempotent: true,
}))
