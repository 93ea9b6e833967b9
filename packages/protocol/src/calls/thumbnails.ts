import * as v from 'valibot'
import { authErrors, defineCall } from '../call.ts'
import { callTimeoutMs, KIB } from '../limits.ts'
import { cidSchema } from '../schemas/cid.ts'

/** Maximum size of an encrypted thumbnail. It does not count towards storage, and is at most as large as its upload. */
export const maxThumbnailBytes = 24 * KIB
/** Thumbnails of one call: a screen of tiles. */
export const maxThumbnailsPerCall = 32

const maxDataCharacters = Math.ceil(maxThumbnailBytes / 3) * 4
const data = v.pipe(
  v.string(),
  v.minLength(4),
  v.maxLength(maxDataCharacters),
  v.check((text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text), 'must be base64'),
)

const common = { host: 'api', tag: 'Files', auth: 'apiKey', dialect: 'api', idempotent: true } as const

/** `PUT /api/thumbnails/{cid}`: the thumbnail of an upload of the account. */
export const putThumbnail = defineCall({
  ...common,
  id: 'putThumbnail',
  method: 'PUT',
  path: '/api/thumbnails/{cid}',
  scope: 'files:write',
  summary: 'Store a thumbnail',
  description:
    'Stores a thumbnail of an upload of the account, encrypted by its client and opaque to the service, or replaces it. It has at most 24 KiB and at most the size of the upload, and is removed with the upload.',
  params: v.object({ cid: cidSchema }),
  body: { kind: 'json', schema: v.object({ data }) },
  response: { kind: 'json', schema: v.object({ cid: v.string() }) },
  errors: [...authErrors, 'INVALID_CID', 'NOT_FOUND'],
  limits: { bodyBytes: maxDataCharacters + KIB, timeoutMs: callTimeoutMs, perMinute: 600 },
})

/** `GET /api/thumbnails`: thumbnails of uploads of the account. */
export const getThumbnails = defineCall({
  ...common,
  id: 'getThumbnails',
  method: 'GET',
  path: '/api/thumbnails',
  scope: 'files:read',
  summary: 'Read thumbnails',
  description:
    'Returns the thumbnails of the uploads of the account with these CIDs, at most 32, separated by commas. Uploads without a thumbnail are omitted.',
  query: v.object({
    cids: v.pipe(
      v.string(),
      v.transform((text) => text.split(',')),
      v.array(cidSchema),
      v.maxLength(maxThumbnailsPerCall, `must be at most ${maxThumbnailsPerCall} CIDs`),
    ),
  }),
  response: {
    kind: 'json',
    schema: v.object({ thumbnails: v.array(v.object({ cid: v.string(), data: v.string() })) }),
  },
  errors: [...authErrors, 'INVALID_CID'],
  limits: { timeoutMs: callTimeoutMs, perMinute: 600 },
})
