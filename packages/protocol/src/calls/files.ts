import * as v from 'valibot'
import { authErrors, defineCall } from '../call.ts'
import {
  callTimeoutMs,
  maxFileTypeLength,
  maxFileTypes,
  maxJsonBodyBytes,
  maxListPageRows,
  maxNameBytes,
} from '../limits.ts'
import { anyCidSchema } from '../schemas/cid.ts'
import { labelText } from '../schemas/label-text.ts'

/** One row of a listing, in the format of published clients. Sizes are decimal text, times ms since 1970. */
export const fileEntrySchema = v.object({
  id: v.string(),
  publicKey: v.string(),
  fileName: v.string(),
  mimeType: v.nullable(v.string()),
  txHash: v.string(),
  status: v.string(),
  sentForDeal: v.string(),
  createdAt: v.number(),
  lastUpdate: v.number(),
  fileSizeInBytes: v.string(),
  cid: v.string(),
  encryption: v.boolean(),
  /** Present if it is a private upload. */
  private: v.optional(v.literal(true)),
  /**
   * Present if another API manages it: `s3` for an object of a bucket, or the folder of a published bucket, `pin` for a pin of
   * the Pinning Service API. Deleting the upload deletes the object or the pin.
   */
  managedBy: v.optional(v.picklist(['s3', 'pin'])),
  /** Present if it came through an upload link: the id of that link. */
  uploadLinkId: v.optional(v.string()),
})
export type FileEntry = v.InferOutput<typeof fileEntrySchema>

/** Rows before a page are counted, so it cannot be any. */
const maxPageNumber = 10_000

/** Sort fields of listings. */
export const fileSorts = ['createdAt', 'fileName', 'fileSizeInBytes'] as const

/**
 * `GET /api/user/files_uploaded`: lists the uploads of the account, newest first, paged by the id of the last row seen.
 */
export const listFiles = defineCall({
  id: 'listFiles',
  method: 'GET',
  path: '/api/user/files_uploaded',
  host: 'api',
  tag: 'Files',
  summary: 'List uploads',
  description:
    'Returns up to 2,000 rows per page. For the next page, set `lastKey` to the id of the last row. For the first page, omit it or send the word `null`. `totalFiles` is the number of rows that match the filter. `managedBy` is set if the row is an object of an S3 bucket or the folder of a published bucket (`s3`), or a pin of the Pinning Service API (`pin`). Deleting the row also deletes these. `uploadLinkId` is set if the file came through an upload link. `fileType` is `all`, an access (`public`, `private`, `encrypted`, or `plain` for public and private), the start of a MIME type, or a comma-separated list such as `image,video,encrypted`.',
  auth: 'apiKey',
  scope: 'files:read',
  query: v.object({
    /** Id of the last row of the previous page. For the first, absent, empty, or the word of a published client for nothing. */
    lastKey: v.optional(
      v.pipe(
        v.string(),
        v.maxLength(64),
        v.transform((text) => (['', 'null', 'undefined', 'None'].includes(text) ? null : text)),
      ),
    ),
    /** Page of published clients up to 0.3.0, from 1; without `lastKey`, `fileType` and `search` only. */
    pageNo: v.optional(
      v.pipe(v.string(), v.regex(/^\d{1,6}$/), v.transform(Number), v.minValue(1), v.maxValue(maxPageNumber)),
    ),
    /**
     * `all`, an access (`public`, `private`, `encrypted`, or `plain` for both that are not encrypted), or the start of a
     * MIME type such as `image`; or several of these separated by commas: files with any of the types, and with any of
     * the accesses.
     */
    fileType: v.optional(
      v.pipe(
        v.string(),
        v.maxLength(maxFileTypeLength),
        v.check((text) => text.split(',').length <= maxFileTypes, `At most ${maxFileTypes} types`),
      ),
    ),
    /** Text in the name (any case), or the start of a CID. */
    search: v.optional(v.pipe(v.string(), v.maxLength(200))),
    sort: v.optional(v.picklist(fileSorts)),
    order: v.optional(v.picklist(['asc', 'desc'])),
    /** Rows per page, 1 to 2,000. */
    limit: v.optional(
      v.pipe(v.string(), v.regex(/^\d{1,4}$/), v.transform(Number), v.minValue(1), v.maxValue(maxListPageRows)),
    ),
  }),
  response: { kind: 'json', schema: v.object({ fileList: v.array(fileEntrySchema), totalFiles: v.number() }) },
  errors: [...authErrors],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
})

/** `GET /api/lighthouse/file_info`: returns the file info of a CID. */
export const getFileInfo = defineCall({
  id: 'getFileInfo',
  method: 'GET',
  path: '/api/lighthouse/file_info',
  host: 'api',
  tag: 'Files',
  summary: 'Show information about a CID',
  description:
    'With an API key, returns the newest upload of the caller if there is one. Otherwise, returns the oldest upload of any account that is not private. The name, the type and the encrypted flag come from the uploader. `isOwn` is true if the uploader is the caller.',
  auth: 'optionalApiKey',
  scope: 'files:read',
  query: v.object({ cid: anyCidSchema }),
  response: {
    kind: 'json',
    schema: v.object({
      fileSizeInBytes: v.string(),
      cid: v.string(),
      encryption: v.boolean(),
      fileName: v.string(),
      mimeType: v.nullable(v.string()),
      txHash: v.string(),
      /** Whether the caller uploaded it; absent without an API key. */
      isOwn: v.optional(v.boolean()),
      /** Present if it is a private upload of the caller. */
      private: v.optional(v.literal(true)),
    }),
  },
  errors: [...authErrors, 'INVALID_CID'],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
})

/** `DELETE /api/user/delete_file`: removes an upload from the account, by its row id or by CID (all rows of it). */
export const deleteFile = defineCall({
  id: 'deleteFile',
  method: 'DELETE',
  path: '/api/user/delete_file',
  host: 'api',
  tag: 'Files',
  summary: 'Delete an upload',
  description:
    'Deletes one row by `id`, or every row of the account with a `cid`. The bytes are removed after a grace period if no other upload uses them.',
  auth: 'apiKey',
  scope: 'files:write',
  query: v.object({ id: v.optional(v.pipe(v.string(), v.maxLength(64))), cid: v.optional(anyCidSchema) }),
  response: { kind: 'json', schema: v.object({ message: v.string() }) },
  errors: [...authErrors, 'INVALID_CID', 'CONFLICT'],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: false,
})

/** `PATCH /api/user/files/{id}`: renames an upload. */
export const renameFile = defineCall({
  id: 'renameFile',
  method: 'PATCH',
  path: '/api/user/files/{id}',
  host: 'api',
  tag: 'Files',
  summary: 'Rename an upload',
  description:
    'Changes the name in listings. The CID stays the same, because the name of an upload is not part of the content.',
  auth: 'apiKey',
  scope: 'files:write',
  params: v.object({ id: v.pipe(v.string(), v.maxLength(64)) }),
  body: {
    kind: 'json',
    schema: v.object({ fileName: v.pipe(labelText(maxNameBytes), v.nonEmpty()) }),
  },
  response: { kind: 'json', schema: fileEntrySchema },
  errors: [...authErrors, 'INVALID_PATH', 'INVALID_LABEL', 'CONFLICT'],
  dialect: 'api',
  limits: { bodyBytes: maxJsonBodyBytes, timeoutMs: callTimeoutMs },
  idempotent: true,
})
