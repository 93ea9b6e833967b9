import { CairnError } from '@cairn/protocol'
import type { CID } from 'multiformats/cid'
import { type ContentPath, encodePath, parseSegments } from './content-path.ts'
import type { GatewayHost } from './gateway-host.ts'
import { parseCid } from './parse-cid.ts'

/** Longest label of a DNS name, in characters. */
const longestLabel = 63

/**
 * Writes a CID as the label of a host: version 1 in base32, for DNS has no case.
 * @throws CairnError INVALID_CID when it is too long for a label.
 */
export function cidLabel(cid: CID): string {
  const label = cid.toV1().toString()
  if (label.length <= longestLabel) return label
  throw new CairnError('INVALID_CID', {
    message: `CID incompatible with DNS label length limit of ${longestLabel}: ${label}`,
    hint: 'Read it through a path gateway, by its address or a name without subdomains.',
  })
}

/** The address of a content path on the origin of its CID. @throws CairnError INVALID_CID */
export function subdomainUrl(host: GatewayHost, path: ContentPath, search: string): string {
  const rest = path.segments.length === 0 ? '/' : encodePath(path.segments, path.trailingSlash)
  return `${host.protocol}://${cidLabel(path.cid)}.ipfs.${host.host}${rest}${search}`
}

/**
 * Reads what a request to `{label}.ipfs.{host}` names.
 * @returns the content path, and whether the label is in its one right form; if not the client is sent there.
 * @throws CairnError INVALID_CID, INVALID_PATH
 */
export function parseSubdomainPath(label: string, rawPath: string): { path: ContentPath; isCanonical: boolean } {
  const cid = parseCid(label, `/ipfs/${label}`)
  const canonical = cidLabel(cid)
  return { path: { cid, cidText: canonical, ...parseSegments(rawPath) }, isCanonical: label === canonical }
}
