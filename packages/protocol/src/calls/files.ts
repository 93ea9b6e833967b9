import * as v from 'valibot'
import { authErrors, defineCall } from '../call.ts'
import { anyCidSchema } from '../cid.ts'
import { labelText } from '../label-text.ts'
import {
  callTimeoutMs,
  fileTypeLengthMost,
  fileTypesMost,
  jsonBodyBytesMost,
  listPageRowsMost,
  nameBytesMost,
} from '../limits.ts'

/** One row of a listing, as published clients read it. Sizes are decimal text, times ms since 1970. */
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
})
export type FileEntry = v.InferOutput<typeof fileEntrySchema>

/** What listings can be sorted by. */
export const fileSorts = ['createdAt', 'fileName', 'fileSizeInBytes'] as const

/** `GET /api/user/files_uploaded`: the account's uploads, newest first, paged by the id of the last row seen. */
export const listFiles = defineCall({
  id: 'listFiles',
  method: 'GET',
  path: '/api/user/files_uploaded',
  host: 'api',
  tag: 'Files',
  summary: 'List uploads',
  description:
    'Up to 2,000 rows a page. The next page is asked for with `lastKey` = the id of the last row; the first with none or the word `null`. `totalFiles` counts all rows that fit the filter. `fileType` is `all`, `encrypted`, `plain` or the start of a MIME type, or several of these with commas between: `image,video,encrypted`.',
  auth: 'apiKey',
  scope: 'files:read',
  query: v.object({
    /** Id of the last row of the page before; absent, empty or `null` for the first. */
    lastKey: v.optional(
      v.pipe(
        v.string(),
        v.maxLength(64),
        v.transform((text) => (text === 'null' || text === 'undefined' || text === '' ? null : text)),
      ),
    ),
    /**
     * `all`, `encrypted` or `plain`, or the start of a MIME type such as `image`; or several of these with commas between:
     * files of any of the types, and of the access.
     */
    fileType: v.optional(
      v.pipe(
        v.string(),
        v.maxLength(fileTypeLengthMost),
        v.check((text) => text.split(',').length <= fileTypesMost, `At most ${fileTypesMost} types`),
      ),
    ),
    /** Text that the name contains (any case), or the start of a CID. */
    search: v.optional(v.pipe(v.string(), v.maxLength(200))),
    sort: v.optional(v.picklist(fileSorts)),
    order: v.optional(v.picklist(['asc', 'desc'])),
    /** Rows a page, 1 to 2,000. */
    limit: v.optional(
      v.pipe(v.string(), v.regex(/^\d{1,4}$/), v.transform(Number), v.minValue(1), v.maxValue(listPageRowsMost)),
    ),
  }),
  response: { kind: 'json', schema: v.object({ fileList: v.array(fileEntrySchema), totalFiles: v.number() }) },
  errors: [...authErrors],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
})

/** `GET /api/lighthouse/file_info`: what is known of a CID. */
export const getFileInfo = defineCall({
  id: 'getFileInfo',
  method: 'GET',
  path: '/api/lighthouse/file_info',
  host: 'api',
  tag: 'Files',
  summary: 'What is known of a CID',
  description:
    'With an API key it answers from the newest upload of the caller, if there is one; otherwise from the oldest upload of anyone. The name, the type and the encrypted flag are what that uploader said: `isOwn` tells whether it was the caller.',
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
    }),
  },
  errors: [...authErrors, 'INVALID_CID'],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
})

/** `DELETE /api/user/delete_file`: takes an upload off the account, by its row id or by CID (all rows of it). */
export const deleteFile = defineCall({
  id: 'deleteFile',
  method: 'DELETE',
  path: '/api/user/delete_file',
  host: 'api',
  tag: 'Files',
  summary: 'Delete an upload',
  description:
    'By `id` (one row) or by `cid` (every row of the account with it). The bytes go when nobody else keeps them, after a grace time.',
  auth: 'apiKey',
  scope: 'files:write',
  query: v.object({ id: v.optional(v.pipe(v.string(), v.maxLength(64))), cid: v.optional(anyCidSchema) }),
  response: { kind: 'json', schema: v.object({ message: v.string() }) },
  errors: [...authErrors, 'INVALID_CID', 'CONFLICT'],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: false,
})

/** `PATCH /api/user/files/{id}`: gives an upload another name. */
export const renameFile = defineCall({
  id: 'renameFile',
  method: 'PATCH',
  path: '/api/user/files/{id}',
  host: 'api',
  tag: 'Files',
  summary: 'Rename an upload',
  description: 'Changes the name in listings. The CID stays: names of uploads are not part of the content.',
  auth: 'apiKey',
  scope: 'files:write',
  params: v.object({ id: v.pipe(v.string(), v.maxLength(64)) }),
  body: {
    kind: 'json',
    schema: v.object({ fileName: v.pipe(labelText(nameBytesMost), v.nonEmpty()) }),
  },
  response: { kind: 'json', schema: fileEntrySchema },
  errors: [...authErrors, 'INVALID_PATH', 'INVALID_LABEL', 'CONFLICT'],
  dialect: 'api',
  limits: { bodyBytes: jsonBodyBytesMost, timeoutMs: callTimeoutMs },
  idempotent: true,
})
