import * as v from 'valibot'
import { authErrors, defineCall, deniedErrors, shortageErrors } from '../call.ts'
import { anyCidSchema } from '../cid.ts'
import { labelText } from '../label-text.ts'
import { maxJsonBodyBytes, maxNameBytes } from '../limits.ts'
import { kuboFlag } from './kubo-flag.ts'

/** MIME type to store for a single file; without it, the service derives one from name and content. */
const mimeType = v.optional(v.pipe(v.string(), v.maxLength(255)))
/** `true` marks content that the client encrypted. */
const encryption = v.optional(v.pipe(v.string(), v.maxLength(16)))
/** Whether indexers learn of the content. By default, the operator decides, and never for encrypted content. */
const announce = v.optional(v.picklist(['true', 'false']))

/**
 * Response of an upload: name, CID, and cumulative DAG size of a file or folder, in bytes as text (the `Size` of Kubo).
 */
export const uploadedSchema = v.object({ Name: v.string(), Hash: v.string(), Size: v.string() })
export type Uploaded = v.InferOutput<typeof uploadedSchema>

/** One object; an array if the header `Encryption: true` was sent; JSON lines for the clients of Kubo. */
const uploadAnswer = v.union([uploadedSchema, v.array(uploadedSchema)])

/** `POST /api/v0/add`: imports multipart files as UnixFS exactly as Kubo does. */
export const addFiles = defineCall({
  id: 'addFiles',
  method: 'POST',
  path: '/api/v0/add',
  host: 'api',
  tag: 'Uploads',
  summary: 'Upload files or a folder',
  description:
    'Multipart, with one part named `file` per file. Slashes in file names create folders. Returns one object (the root, for a folder), an array with `Encryption: true` (one item per file, or one for the folder with `wrap-with-directory=true`), or JSON lines for Kubo clients (`stream-channels`, `progress`). The response is sent when the data is durable.',
  auth: 'apiKey',
  scope: 'files:write',
  allowsCredentials: true,
  query: v.looseObject({
    /** 0 or 1. Defaults to 1 (0 for the clients of Kubo). */
    'cid-version': v.optional(v.string()),
    'wrap-with-directory': kuboFlag,
    /** Kubo: computes CIDs without storing anything. */
    'only-hash': kuboFlag,
    /** Kubo: raw leaves for files. Defaults to true for CID version 1. */
    'raw-leaves': kuboFlag,
    /** Import profile: `unixfs-v1-2025` for 1 MiB chunks and 1,024 links. */
    profile: v.optional(v.picklist(['unixfs-v0-2015', 'unixfs-v1-2025'])),
    /** Maximum links of a file node, 2 to 16,384. */
    'max-file-links': v.optional(v.string()),
    /** A folder with more entries becomes a HAMT; 0 for no limit. */
    'max-directory-links': v.optional(v.string()),
    /** Slots of a HAMT shard: a power of two from 8 to 1,024. */
    'max-hamt-fanout': v.optional(v.string()),
    /** `false`: omits folders without content. */
    'empty-dirs': kuboFlag,
    /** Kubo: every added file is pinned, whatever the value. */
    pin: kuboFlag,
    progress: kuboFlag,
    'stream-channels': kuboFlag,
  }),
  headers: v.object({
    'mime-type': mimeType,
    /** `true`: the client encrypted the content; the service stores the flag and returns an array. */
    encryption,
    announce,
    /** Stored with the upload; there is one storage class. */
    'x-storage-type': v.optional(labelText(64)),
  }),
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
    'SIGNED_FOR_ANOTHER_USE',
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
})

/** `POST /api/v0/dag/import`: imports a CAR, verified block by block, and keeps its roots. */
export const importCar = defineCall({
  id: 'importCar',
  method: 'POST',
  path: '/api/v0/dag/import',
  host: 'api',
  tag: 'Uploads',
  summary: 'Upload a CAR',
  description:
    'Multipart with one CAR (CARv1 or CARv2). Each block is verified against its CID, and every block that the roots link to must be present. Returns the first root, in Kubo’s form for Kubo clients.',
  auth: 'apiKey',
  scope: 'files:write',
  query: v.looseObject({
    'pin-roots': kuboFlag,
    stats: kuboFlag,
    silent: kuboFlag,
    /** Kubo: blocks beyond 2 MiB, which are always rejected here. */
    'allow-big-block': v.optional(v.picklist(['false', '0', ''])),
  }),
  headers: v.object({
    'mime-type': mimeType,
    /** `true`: the client encrypted the content; the service only stores the flag. */
    encryption,
    announce,
    'x-storage-type': v.optional(labelText(64)),
  }),
  body: { kind: 'multipart', description: 'One CAR as a part with a file name.' },
  response: { kind: 'json', schema: uploadAnswer },
  errors: [
    ...authErrors,
    ...deniedErrors,
    'INVALID_MULTIPART',
    'NO_FILE',
    'INVALID_PATH',
    'INVALID_LABEL',
    'SIGNED_FOR_ANOTHER_USE',
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
})

/**
 * `POST /api/lighthouse/pin`: pins a CID. Content that is not here yet is fetched as a CAR from the gateways that the
 * operator configured.
 */
export const pinCid = defineCall({
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
})
