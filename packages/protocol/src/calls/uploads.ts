import * as v from 'valibot'
import { authErrors, defineCall, shortageErrors } from '../call.ts'
import { anyCidSchema } from '../cid.ts'
import { labelText } from '../label-text.ts'
import { jsonBodyBytesMost, nameBytesMost } from '../limits.ts'
import { kuboFlag } from './kubo-flag.ts'

/** MIME type to store for a single file; without it, the service derives one from name and content. */
const mimeType = v.optional(v.pipe(v.string(), v.maxLength(255)))
/** `true` marks content that the client encrypted. */
const encryption = v.optional(v.pipe(v.string(), v.maxLength(16)))

/** What an upload answers: a file's or folder's name, CID, and cumulative DAG size in bytes as text (Kubo's `Size`). */
export const uploadedSchema = v.object({ Name: v.string(), Hash: v.string(), Size: v.string() })
export type Uploaded = v.InferOutput<typeof uploadedSchema>

/** One object; an array where the header `Encryption: true` was sent; JSON lines for Kubo's own clients. */
const uploadAnswer = v.union([uploadedSchema, v.array(uploadedSchema)])

/** `POST /api/v0/add`: files as multipart, imported as UnixFS exactly as Kubo does. */
export const addFiles = defineCall({
  id: 'addFiles',
  method: 'POST',
  path: '/api/v0/add',
  host: 'api',
  tag: 'Uploads',
  summary: 'Upload files or a folder',
  description:
    'Multipart, each file a part named `file`; slashes in file names make folders. Answers one object (the root for a folder), an array with `Encryption: true` (an item for each file, or for the folder with `wrap-with-directory=true`), JSON lines for Kubo clients (`stream-channels`, `progress`). The answer comes when the data is durable.',
  auth: 'apiKey',
  scope: 'files:write',
  allowsCredentials: true,
  query: v.looseObject({
    /** 0 or 1; 1 where absent (0 for Kubo’s own clients). */
    'cid-version': v.optional(v.string()),
    'wrap-with-directory': kuboFlag,
    /** Kubo: computes CIDs and stores nothing. */
    'only-hash': kuboFlag,
    /** Kubo: raw leaves for files; follows the CID version where absent. */
    'raw-leaves': kuboFlag,
    /** Import profile: `unixfs-v1-2025` for 1 MiB chunks and 1,024 links. */
    profile: v.optional(v.picklist(['unixfs-v0-2015', 'unixfs-v1-2025'])),
    /** Links of a file node, 2 to 16,384. */
    'max-file-links': v.optional(v.string()),
    /** A folder of more entries becomes a HAMT; 0 for no limit. */
    'max-directory-links': v.optional(v.string()),
    /** Slots of a HAMT shard: a power of two from 8 to 1,024. */
    'max-hamt-fanout': v.optional(v.string()),
    /** `false`: folders sent without anything in them are left out. */
    'empty-dirs': kuboFlag,
    /** Kubo: everything added is kept, whatever is said here. */
    pin: kuboFlag,
    progress: kuboFlag,
    'stream-channels': kuboFlag,
  }),
  headers: v.object({
    'mime-type': mimeType,
    /** `true`: the content is encrypted by the client; kept as a mark and answered as an array. */
    encryption,
    /** Kept with the upload; one storage class exists. */
    'x-storage-type': v.optional(labelText(64)),
  }),
  body: { kind: 'multipart', description: 'Files, each a part with a file name.' },
  response: { kind: 'json', schema: uploadAnswer },
  errors: [
    ...authErrors,
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

/** `POST /api/v0/dag/import`: a CAR, verified block by block, its roots kept. */
export const importCar = defineCall({
  id: 'importCar',
  method: 'POST',
  path: '/api/v0/dag/import',
  host: 'api',
  tag: 'Uploads',
  summary: 'Upload a CAR',
  description:
    'Multipart with one CAR (CARv1 or CARv2). Each block is checked against its CID, and all that the roots link to must be there. Answers the first root; Kubo clients get Kubo’s form.',
  auth: 'apiKey',
  scope: 'files:write',
  query: v.looseObject({
    'pin-roots': kuboFlag,
    stats: kuboFlag,
    silent: kuboFlag,
    /** Kubo: blocks beyond 2 MiB, which are never taken here. */
    'allow-big-block': v.optional(v.picklist(['false', '0', ''])),
  }),
  headers: v.object({
    'mime-type': mimeType,
    /** `true`: the client encrypted the content; the service only marks it. */
    encryption,
    'x-storage-type': v.optional(labelText(64)),
  }),
  body: { kind: 'multipart', description: 'One CAR as a part with a file name.' },
  response: { kind: 'json', schema: uploadAnswer },
  errors: [
    ...authErrors,
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

/** `POST /api/lighthouse/pin`: keep a CID, fetched as a CAR from the gateways the operator configured where it is not here yet. */
export const pinCid = defineCall({
  id: 'pinCid',
  method: 'POST',
  path: '/api/lighthouse/pin',
  host: 'api',
  tag: 'Uploads',
  summary: 'Pin a CID',
  description: 'Answers when all blocks are here, verified and durable.',
  auth: 'apiKey',
  scope: 'files:write',
  body: {
    kind: 'json',
    schema: v.object({
      cid: anyCidSchema,
      fileName: v.optional(labelText(nameBytesMost)),
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
  limits: { bodyBytes: jsonBodyBytesMost, perMinute: 120 },
  idempotent: true,
})
