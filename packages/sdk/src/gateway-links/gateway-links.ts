import { createGatewayLink as createGatewayLinkCall, type GatewayLink } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { parseContentPath } from '../download/content-path.ts'
import { type CallOptions, call } from '../request.ts'

/** Options of {@link createGatewayLink}. */
export type GatewayLinkOptions = CallOptions & {
  /** Seconds until the link expires, at most 604,800 (7 days). Defaults to an hour. */
  expiresInSeconds?: number
}

/**
 * Signs a URL of the gateway that opens an upload of the account, private or not, without a key, until the URL expires or the
 * upload is deleted. A link to a folder opens everything below it; a link to a path opens that path only. Requires an API key
 * with the scope `files:read`.
 * @param cidPath the root of an upload, or `cid/path/below`
 * @example
 * const { cid } = await uploadFile(client, 'invoice.pdf', { private: true })
 * const { url } = await createGatewayLink(client, cid, { expiresInSeconds: 600 })
 * @throws CairnError INVALID_CID, INVALID_PATH, NOT_FOUND (no upload of the account has this root), INVALID_REQUEST, FORBIDDEN
 */
export async function createGatewayLink(
  client: Client,
  cidPath: string,
  { expiresInSeconds, ...options }: GatewayLinkOptions = {},
): Promise<GatewayLink> {
  const { root, segments } = parseContentPath(cidPath)
  const body = {
    cid: root.toString(),
    path: segments.join('/'),
    ...(expiresInSeconds === undefined ? {} : { expiresInSeconds }),
  }
  return call(client, createGatewayLinkCall, { body }, options)
}
