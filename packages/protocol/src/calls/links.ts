import * as v from 'valibot'
import { authErrors, defineCall } from '../call.ts'
import { callTimeoutMs, maxJsonBodyBytes } from '../limits.ts'
import { cidSchema } from '../schemas/cid.ts'
import { labelText } from '../schemas/label-text.ts'

/** Maximum lifetime of a link, in ms: one year. */
export const maxLinkLifetimeMs = 366 * 86_400_000
/** Maximum number of opens of a link. */
export const maxLinkOpens = 100_000
/** Wrong passwords after which a link no longer opens. */
export const maxLinkFailures = 20
/** Links of an account that have not ended. */
export const maxLinksPerAccount = 1000

const maxLabelCharacters = 200
/** The sealed text contains a key, a CID, a name and a media type. */
const maxSealedCharacters = 8192

const base64url = (characters: number) =>
  v.pipe(v.string(), v.regex(new RegExp(`^[\\w-]{${characters}}$`), `must be ${characters} characters of base64url`))
/** 16 random bytes that the owner chose. */
const linkId = base64url(22)
/** 32 bytes. */
const token = base64url(43)

const link = v.object({
  id: v.string(),
  cid: v.string(),
  label: v.string(),
  needsPassword: v.boolean(),
  /** `ended`: it expired, or was opened as often as it allows, or with too many wrong passwords. */
  state: v.picklist(['open', 'ended', 'revoked']),
  createdAt: v.number(),
  expiresAt: v.number(),
  maxOpens: v.number(),
  opens: v.number(),
  /** Wrong passwords so far. */
  failures: v.number(),
  lastOpenedAt: v.nullable(v.number()),
})
/** A link as its owner sees it. Times are in ms since 1970. It contains no part of the key. */
export type FileLink = v.InferOutput<typeof link>

const linkInfo = v.object({
  /** Address of the account that shared it. */
  owner: v.string(),
  needsPassword: v.boolean(),
  expiresAt: v.number(),
  opensLeft: v.number(),
})
/** The facts that a visitor sees before opening a link. */
export type LinkInfo = v.InferOutput<typeof linkInfo>

const openedLink = v.object({
  ...linkInfo.entries,
  cid: v.string(),
  /** Ciphertext that the key of the link opens, as base64url. */
  sealed: v.string(),
})

const params = v.object({ id: linkId })
const common = { host: 'api', tag: 'Links', dialect: 'api' } as const
const limits = { bodyBytes: maxJsonBodyBytes, timeoutMs: callTimeoutMs } as const
/** Visitors of one address: few, because a wrong password is one call. */
const visitorsPerMinute = 60
const visitorErrors = ['ACCESS_DENIED', 'ACCOUNT_BLOCKED', 'GONE'] as const

/** `POST /api/links`: stores the sealed key of a link. */
export const createLink = defineCall({
  ...common,
  id: 'createLink',
  method: 'POST',
  path: '/api/links',
  auth: 'apiKey',
  scope: 'files:write',
  summary: 'Create a link',
  description:
    'Stores a file key that the client has encrypted with the key of the link, and returns it to callers that prove that they know the link. The service cannot open it. An account can have 1,000 active links.',
  body: {
    kind: 'json',
    schema: v.object({
      id: linkId,
      cid: cidSchema,
      /** Shown to the owner only. */
      label: v.optional(labelText(maxLabelCharacters), ''),
      sealed: v.pipe(v.string(), v.maxLength(maxSealedCharacters), v.regex(/^[\w-]+$/)),
      /** Proves that a visitor knows the fragment. */
      token,
      /** Proves that a visitor also knows the password. */
      passwordToken: v.optional(token),
      /** In ms since 1970, at most a year from now. */
      expiresAt: v.pipe(v.number(), v.safeInteger()),
      maxOpens: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(maxLinkOpens)),
    }),
  },
  response: { kind: 'json', schema: link },
  errors: [...authErrors, 'INVALID_CID', 'INVALID_LABEL', 'CONFLICT'],
  limits: { ...limits, perMinute: 600 },
  idempotent: false,
})

/** `GET /api/links`: lists the links of the account. */
export const listLinks = defineCall({
  ...common,
  id: 'listLinks',
  method: 'GET',
  path: '/api/links',
  auth: 'apiKey',
  scope: 'files:read',
  summary: 'List links',
  description: 'Returns the newest 1,000 links first. Links that ended more than 30 days ago are removed.',
  response: { kind: 'json', schema: v.object({ links: v.array(link) }) },
  errors: [...authErrors],
  limits: { timeoutMs: callTimeoutMs, perMinute: 600 },
  idempotent: true,
})

/** `DELETE /api/links/{id}`: revokes a link. */
export const revokeLink = defineCall({
  ...common,
  id: 'revokeLink',
  method: 'DELETE',
  path: '/api/links/{id}',
  auth: 'apiKey',
  scope: 'files:write',
  summary: 'Revoke a link',
  description: 'Deletes the encrypted key at once, so the link can no longer be opened.',
  params,
  response: { kind: 'json', schema: link },
  errors: [...authErrors],
  limits: { ...limits, perMinute: 600 },
  idempotent: true,
})

/** `POST /api/links/{id}/inspect`: what a visitor sees before opening the link. */
export const inspectLink = defineCall({
  ...common,
  id: 'inspectLink',
  method: 'POST',
  path: '/api/links/{id}/inspect',
  auth: 'none',
  summary: 'Show who shared a link, and when it expires',
  description: 'Does not count as an open. The token is in the body, so that proxy logs never contain it.',
  params,
  body: { kind: 'json', schema: v.object({ token }) },
  response: { kind: 'json', schema: linkInfo },
  errors: visitorErrors,
  limits: { ...limits, perMinute: visitorsPerMinute, isShared: true },
  idempotent: true,
})

/** `POST /api/links/{id}/open`: returns the sealed key and counts one open. */
export const openLink = defineCall({
  ...common,
  id: 'openLink',
  method: 'POST',
  path: '/api/links/{id}/open',
  auth: 'none',
  summary: 'Open a link',
  description: 'Returns the encrypted key and counts one open. After 20 wrong passwords, the link no longer opens.',
  params,
  body: { kind: 'json', schema: v.object({ token, passwordToken: v.optional(token) }) },
  response: { kind: 'json', schema: openedLink },
  errors: visitorErrors,
  limits: { ...limits, perMinute: visitorsPerMinute, isShared: true },
  idempotent: false,
})
