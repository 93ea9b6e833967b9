import * as v from 'valibot'
import { authErrors, defineCall } from '../call.ts'
import { callTimeoutMs, KIB } from '../limits.ts'
import { anyCidSchema } from '../schemas/cid.ts'

/** Tags of an account. A tag that is given again counts once. */
export const maxTagsPerAccount = 10_000
const maxTagCharacters = 256

const tag = v.pipe(v.string(), v.nonEmpty(), v.maxLength(maxTagCharacters))
const taggedUpload = v.object({ tag: v.string(), cid: v.string() })

const common = { host: 'api', tag: 'Files', auth: 'apiKey', dialect: 'api', idempotent: true } as const

/** `POST /api/user/create_tag`: gives a tag to an upload, as the published Python client does after it uploads. */
export const createTag = defineCall({
  ...common,
  id: 'createTag',
  method: 'POST',
  path: '/api/user/create_tag',
  scope: 'files:write',
  summary: 'Tag an upload (published clients)',
  description:
    'A tag names one upload of the account. A tag that exists moves to the new upload. It is removed with its upload.',
  body: { kind: 'json', schema: v.object({ tag, cid: anyCidSchema }), acceptsForm: true },
  response: { kind: 'json', schema: v.object({ data: taggedUpload }) },
  errors: [...authErrors, 'INVALID_CID', 'NOT_FOUND'],
  limits: { bodyBytes: 8 * KIB, timeoutMs: callTimeoutMs, perMinute: 600 },
})

/** `GET /api/user/get_tag_details`: finds the upload with a tag, as the published Python client does. */
export const getTagDetails = defineCall({
  ...common,
  id: 'getTagDetails',
  method: 'GET',
  path: '/api/user/get_tag_details',
  scope: 'files:read',
  summary: 'Find the upload with a tag (published clients)',
  description: '`data` is null if the account has no upload with this tag.',
  query: v.object({ tag }),
  response: { kind: 'json', schema: v.object({ data: v.nullable(taggedUpload) }) },
  errors: authErrors,
  limits: { timeoutMs: callTimeoutMs, perMinute: 600 },
})
