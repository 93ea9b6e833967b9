import * as v from 'valibot'
import { authErrors, defineCall } from '../call.ts'
import { callTimeoutMs, maxJsonBodyBytes } from '../limits.ts'
import { anyCidSchema } from '../schemas/cid.ts'

/** Maximum lifetime of a gateway link, in seconds: seven days, as for presigned URLs of S3. */
export const maxGatewayLinkSeconds = 7 * 86_400
const defaultGatewayLinkSeconds = 3600
const maxPathCharacters = 8192

const gatewayLink = v.object({
  /** `{gateway}/ipfs/{cid}/{path}?expires=…&signature=…` */
  url: v.string(),
  /** In ms since 1970. */
  expiresAt: v.number(),
  /**
   * Whether the content needs the link. Anyone who knows the CID of another upload can fetch it, even after the link has expired.
   * Absent from services before 2026-11-27.
   */
  isPrivate: v.optional(v.boolean()),
})
/** A signed link. Anyone who has the URL can open it until it expires. */
export type GatewayLink = v.InferOutput<typeof gatewayLink>

/** `POST /api/gateway-links`: signs a link. */
export const createGatewayLink = defineCall({
  id: 'createGatewayLink',
  method: 'POST',
  path: '/api/gateway-links',
  host: 'api',
  tag: 'Gateway links',
  summary: 'Sign a gateway link',
  description:
    'Returns a gateway URL with an expiry and a signature. It opens an upload of the account without a key, including a private upload, which the gateway does not serve otherwise. A link to a folder opens everything below it; a link to a path opens only that path. The link is valid until it expires or the upload is deleted. The service stores nothing about it.',
  auth: 'apiKey',
  scope: 'files:read',
  body: {
    kind: 'json',
    schema: v.object({
      /** Root of an upload of the account. */
      cid: anyCidSchema,
      /** Path below the root, not percent-encoded, which must exist. Defaults to the root. */
      path: v.optional(v.pipe(v.string(), v.maxLength(maxPathCharacters)), ''),
      /** Seconds until the link expires, 1 to 604,800 (7 days). Defaults to an hour. */
      expiresInSeconds: v.optional(
        v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(maxGatewayLinkSeconds)),
        defaultGatewayLinkSeconds,
      ),
    }),
  },
  response: { kind: 'json', schema: gatewayLink },
  errors: [...authErrors, 'INVALID_CID', 'INVALID_PATH', 'PATH_NOT_FOUND', 'DATA_DAMAGED'],
  dialect: 'api',
  limits: { bodyBytes: maxJsonBodyBytes, timeoutMs: callTimeoutMs, perMinute: 600 },
  idempotent: true,
})
