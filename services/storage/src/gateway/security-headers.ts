import { CairnError } from '@cairn/protocol'
import { isActiveType } from '../content/content-type.ts'
import { type GatewayHost, hasOwnOrigin } from './requests/gateway-host.ts'

/**
 * Headers of every answer: any page may read it, browsers do not sniff types, credentials are not accepted.
 * Access-Control-Allow-Credentials and Set-Cookie are never sent on this listener.
 */
export const everyAnswer: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, OPTIONS, POST',
  'access-control-allow-headers':
    'Content-Type, Range, User-Agent, X-Requested-With, Accept, If-Match, If-None-Match, If-Range, Cache-Control',
  'access-control-expose-headers':
    'Content-Length, Content-Range, Content-Disposition, ETag, X-Chunked-Output, X-Stream-Output, X-Ipfs-Path, X-Ipfs-Roots, Ipfs-Uri, X-Cairn-Code, X-Request-Id',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
}

/**
 * Sandboxes active content when all CIDs share one origin; leaves content on its own origin unrestricted.
 * @see https://www.w3.org/TR/CSP3/#directive-sandbox
 */
export function contentPolicy(host: GatewayHost, contentType: string): string | undefined {
  return !hasOwnOrigin(host) && isActiveType(contentType) ? "sandbox; frame-ancestors 'none'" : undefined
}

/** A service worker on a shared origin would control all CIDs there. @throws CairnError INVALID_REQUEST */
export function refuseServiceWorker(host: GatewayHost, header: string | string[] | undefined): void {
  if (header !== 'script' || hasOwnOrigin(host)) return
  throw new CairnError('INVALID_REQUEST', {
    message: 'A path gateway does not serve service workers',
    hint: 'Open the page on its subdomain {cid}.ipfs.{host}, which has its own origin.',
  })
}
