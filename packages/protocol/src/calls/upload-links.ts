import * as v from 'valibot'
import { authErrors, defineCall } from '../call.ts'
import { callTimeoutMs, maxJsonBodyBytes } from '../limits.ts'
import { labelText } from '../schemas/label-text.ts'

/** Maximum lifetime of an upload link, in ms: one year. */
export const maxUploadLinkLifetimeMs = 366 * 86_400_000
/** Maximum number of files of an upload link. */
export const maxUploadLinkFiles = 100_000
/** Upload links of an account that have not ended. */
export const maxUploadLinksPerAccount = 1000
/** How long after its expiry uploads through a link that have started can continue, in ms. */
export const uploadLinkGraceMs = 86_400_000

const maxLabelCharacters = 200
const maxContentTypes = 24

/**
 * The token of an upload link, `cairn_upload_{id}_{256 random bits}`. Clients of the resumable uploads send it instead of an
 * API key.
 */
const tokenPattern = /^cairn_upload_([0-9a-v]{16})_([\w-]{43})$/

/** Returns the parts of the token of an upload link; undefined for any other text. */
export function parseUploadLinkToken(token: string): { id: string; secret: string } | undefined {
  const [, id, secret] = tokenPattern.exec(token) ?? []
  return id === undefined || secret === undefined ? undefined : { id, secret }
}

/** Returns the token of an upload link with these parts. */
export function formatUploadLinkToken({ id, secret }: { id: string; secret: string }): string {
  return `cairn_upload_${id}_${secret}`
}

/** Returns whether a media type is one that a link accepts. An empty list accepts all. */
export function acceptsContentType(accepted: readonly string[], type: string): boolean {
  return (
    accepted.length === 0 || accepted.some((one) => one === type || one === `${type.slice(0, type.indexOf('/'))}/*`)
  )
}

const token = v.pipe(v.string(), v.regex(tokenPattern, 'must be the token of an upload link'))
const positive = (max: number) => v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(max))
const contentTypes = v.pipe(
  v.array(
    v.pipe(
      v.string(),
      v.toLowerCase(),
      v.maxLength(255),
      v.regex(/^[\w.+-]+\/([\w.+-]+|\*)$/, 'must be a media type, such as image/png or image/*'),
    ),
  ),
  v.maxLength(maxContentTypes),
)

const limitEntries = {
  /** Largest file in bytes. */
  maxFileBytes: v.number(),
  /** Media types that senders may declare, such as `application/pdf` or `image/*`; empty for all. */
  contentTypes: v.array(v.string()),
  expiresAt: v.number(),
}

const uploadLink = v.object({
  id: v.string(),
  label: v.string(),
  /** `ended`: it expired, or is used up. */
  state: v.picklist(['open', 'ended', 'revoked']),
  ...limitEntries,
  maxTotalBytes: v.number(),
  maxUploads: v.number(),
  createdAt: v.number(),
  /** Stored files so far, and their bytes. */
  uploads: v.number(),
  uploadedBytes: v.number(),
  /** Uploads in progress, and the bytes reserved for them. They count towards the limits. */
  openUploads: v.number(),
  openBytes: v.number(),
  lastUsedAt: v.nullable(v.number()),
})
/** An upload link as its owner sees it, without its secret. Times are in ms since 1970. */
export type UploadLink = v.InferOutput<typeof uploadLink>

const uploadLinkInfo = v.object({
  /** Address of the account that receives the files. */
  owner: v.string(),
  ...limitEntries,
  /** Files and bytes that the link still accepts, less those of uploads in progress. */
  uploadsLeft: v.number(),
  bytesLeft: v.number(),
})
/** The facts that a sender sees before an upload. */
export type UploadLinkInfo = v.InferOutput<typeof uploadLinkInfo>

const common = { host: 'api', tag: 'Upload links', dialect: 'api' } as const
const limits = { bodyBytes: maxJsonBodyBytes, timeoutMs: callTimeoutMs } as const

/** `POST /api/upload-links`: creates an upload link. */
export const createUploadLink = defineCall({
  ...common,
  id: 'createUploadLink',
  method: 'POST',
  path: '/api/upload-links',
  auth: 'apiKey',
  scope: 'files:write',
  summary: 'Create an upload link',
  description:
    'Returns a token that uploads files to this account, within limits. Senders use resumable uploads (tus) with the token instead of an API key. The service stores only its hash. An account can have 1,000 active upload links.',
  body: {
    kind: 'json',
    schema: v.object({
      /** Shown to the owner only. */
      label: v.optional(labelText(maxLabelCharacters), ''),
      maxFileBytes: positive(Number.MAX_SAFE_INTEGER),
      maxTotalBytes: positive(Number.MAX_SAFE_INTEGER),
      maxUploads: positive(maxUploadLinkFiles),
      contentTypes: v.optional(contentTypes, []),
      /** In ms since 1970, at most a year from now. */
      expiresAt: v.pipe(v.number(), v.safeInteger()),
    }),
  },
  response: { kind: 'json', schema: v.object({ ...uploadLink.entries, token: v.string() }) },
  errors: [...authErrors, 'INVALID_LABEL'],
  limits: { ...limits, perMinute: 600 },
  idempotent: false,
})

/** `GET /api/upload-links`: lists the upload links of the account. */
export const listUploadLinks = defineCall({
  ...common,
  id: 'listUploadLinks',
  method: 'GET',
  path: '/api/upload-links',
  auth: 'apiKey',
  scope: 'files:read',
  summary: 'List upload links',
  description: 'Returns the newest 1,000 upload links first. Links that ended more than 30 days ago are removed.',
  response: { kind: 'json', schema: v.object({ links: v.array(uploadLink) }) },
  errors: [...authErrors],
  limits: { timeoutMs: callTimeoutMs, perMinute: 600 },
  idempotent: true,
})

/** `DELETE /api/upload-links/{id}`: revokes an upload link. */
export const revokeUploadLink = defineCall({
  ...common,
  id: 'revokeUploadLink',
  method: 'DELETE',
  path: '/api/upload-links/{id}',
  auth: 'apiKey',
  scope: 'files:write',
  summary: 'Revoke an upload link',
  description: 'Ends the link and cancels its uploads in progress. Stored files are kept.',
  params: v.object({ id: v.pipe(v.string(), v.maxLength(64)) }),
  response: { kind: 'json', schema: uploadLink },
  errors: [...authErrors],
  limits: { ...limits, perMinute: 600 },
  idempotent: true,
})

/** `POST /api/upload-link/inspect`: what a sender sees before uploading. */
export const inspectUploadLink = defineCall({
  ...common,
  id: 'inspectUploadLink',
  method: 'POST',
  path: '/api/upload-link/inspect',
  auth: 'none',
  summary: 'Show what an upload link accepts',
  description: 'The token is in the body, so that proxy logs never contain it.',
  body: { kind: 'json', schema: v.object({ token }) },
  response: { kind: 'json', schema: uploadLinkInfo },
  errors: ['ACCOUNT_BLOCKED', 'GONE'],
  limits: { ...limits, perMinute: 600 },
  idempotent: true,
})
