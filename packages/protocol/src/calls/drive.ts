import * as v from 'valibot'
import { authErrors, defineCall } from '../call.ts'
import { callTimeoutMs, KIB, MIB, maxJsonBodyBytes } from '../limits.ts'

/** Maximum size of one part of a drive: base64 of it arrives within the time for a body on a slow line. */
export const maxDrivePartBytes = MIB
/** Maximum number of parts of a drive, and of their bytes together. They do not count towards the storage of the account. */
export const maxDriveParts = 256
export const maxDriveBytes = 16 * MIB

/** Maximum number of uploads that one call deletes. */
export const maxDeletedUploads = 500

/** Base64 of a part, and the other fields of the body. */
const maxPutBytes = Math.ceil(maxDrivePartBytes / 3) * 4 + KIB

const revision = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const data = v.pipe(
  v.string(),
  v.minLength(4),
  v.maxLength(Math.ceil(maxDrivePartBytes / 3) * 4),
  v.check((text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text), 'must be base64'),
)

const part = v.object({
  /** First and last revision that the part covers: the same for a change, several for merged parts. */
  first: v.number(),
  last: v.number(),
  /** The part as base64: encrypted, and opaque to the service. */
  data: v.string(),
})
/** A part of a drive: a change, or several that were merged. */
export type DrivePart = v.InferOutput<typeof part>

const common = {
  host: 'api',
  tag: 'Drive',
  auth: 'apiKey',
  dialect: 'api',
  idempotent: true,
} as const

/** `GET /api/drive`: the encrypted index of the account. */
export const getDrive = defineCall({
  ...common,
  id: 'getDrive',
  method: 'GET',
  path: '/api/drive',
  scope: 'files:read',
  summary: 'Read the drive',
  description:
    'Returns the parts of the private index of the account (folders, names, stars, tags and trash) that end after the revision `since`, in order. They are encrypted: the service sees only their sizes and times. An account without a drive has revision 0.',
  query: v.object({
    since: v.optional(v.pipe(v.string(), v.regex(/^\d{1,15}$/, 'must be a revision'), v.transform(Number)), '0'),
  }),
  response: { kind: 'json', schema: v.object({ revision, parts: v.array(part) }) },
  errors: [...authErrors],
  limits: { timeoutMs: callTimeoutMs, perMinute: 600 },
})

/** `POST /api/drive/parts`: appends a change, or merges parts. */
export const putDrivePart = defineCall({
  ...common,
  id: 'putDrivePart',
  method: 'POST',
  path: '/api/drive/parts',
  scope: 'files:write',
  summary: 'Change the drive',
  description:
    'Appends a part with `first` and `last` one above `revision`, or replaces the stored parts from `first` to `last` with one part. `revision` is the revision that the client read. If the drive has another revision, or its parts do not start at `first` and end at `last`, the call fails with PRECONDITION_FAILED, and `details.revision` is the current revision. If the drive was replaced since the client read it, which the tips in the headers of the parts show, the call fails with CONFLICT. A drive has at most 256 parts of 1 MiB and 16 MiB together.',
  body: {
    kind: 'json',
    schema: v.object({ revision, first: revision, last: revision, data }),
  },
  response: { kind: 'json', schema: v.object({ revision }) },
  errors: [...authErrors, 'PRECONDITION_FAILED', 'CONFLICT'],
  limits: { bodyBytes: maxPutBytes, timeoutMs: callTimeoutMs, perMinute: 600 },
})

/** `DELETE /api/drive`: removes the index, for an account that lost its key. */
export const removeDrive = defineCall({
  ...common,
  id: 'removeDrive',
  method: 'DELETE',
  path: '/api/drive',
  scope: 'files:write',
  summary: 'Remove the drive',
  description:
    'Removes the private index of the account, so that a new one can be started after its key was lost. Uploads are kept. `revision` is the revision that the client read. If the drive has another revision, the call fails with PRECONDITION_FAILED. Without a drive, the call does nothing.',
  query: v.object({
    revision: v.pipe(v.string(), v.regex(/^\d{1,15}$/, 'must be a revision'), v.transform(Number)),
  }),
  response: { kind: 'json', schema: v.object({ revision }) },
  errors: [...authErrors, 'PRECONDITION_FAILED'],
  limits: { timeoutMs: callTimeoutMs, perMinute: 60 },
})

/** `POST /api/drive/deletions`: deletes uploads that the drive lists, unless the drive changed. */
export const deleteDriveUploads = defineCall({
  ...common,
  id: 'deleteDriveUploads',
  method: 'POST',
  path: '/api/drive/deletions',
  scope: 'files:write',
  summary: 'Delete uploads of the drive',
  description:
    'Deletes up to 500 uploads by their ids. `revision` is the revision of the drive that the client read (0 without a drive). If the drive has another revision, for example because another device restored an item, the call deletes nothing and fails with PRECONDITION_FAILED, and `details.revision` is the current revision. Objects of S3 buckets, and folders of published buckets, are not deleted; `kept` lists their ids. Ids without an upload in the account are ignored.',
  body: {
    kind: 'json',
    schema: v.object({
      revision,
      ids: v.pipe(v.array(v.pipe(v.string(), v.maxLength(64))), v.minLength(1), v.maxLength(maxDeletedUploads)),
    }),
  },
  response: { kind: 'json', schema: v.object({ kept: v.array(v.string()) }) },
  errors: [...authErrors, 'PRECONDITION_FAILED', 'CONFLICT'],
  limits: { bodyBytes: maxJsonBodyBytes, timeoutMs: callTimeoutMs, perMinute: 600 },
})
