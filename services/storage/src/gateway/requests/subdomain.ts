import { CairnError } from '@cairn/protocol'
import { CID } from 'multiformats/cid'
import { parseCid, readCidText } from '../../content/parse-cid.ts'
import type { NameResolver, RequestedName } from '../../names/names.ts'
import { type ContentPath, encodePath, parseSegments } from './content-path.ts'
import type { GatewayHost } from './gateway-host.ts'

const dagPbCode = 0x70
const libp2pKeyCode = 0x72
/** Maximum length of a DNS label, in characters. */
const longestLabel = 63

/**
 * Encodes a CID as a host label: version 1 in base32, because DNS is case-insensitive.
 * @throws CairnError INVALID_CID when it is too long for a label.
 */
function cidLabel(cid: CID): string {
  const label = cid.toV1().toString()
  if (label.length <= longestLabel) return label
  throw new CairnError('INVALID_CID', {
    message: `CID incompatible with DNS label length limit of ${longestLabel}: ${label}`,
    hint: 'Open it through a path gateway.',
  })
}

/** Returns the URL of a content path on the origin of its CID. @throws CairnError INVALID_CID */
export function subdomainUrl(host: GatewayHost, path: ContentPath, search: string): string {
  const rest = path.segments.length === 0 ? '/' : encodePath(path)
  return `${host.protocol}://${cidLabel(path.cid)}.ipfs.${host.host}${rest}${search}`
}

/**
 * Parses a request to `{label}.ipfs.{host}`.
 * @returns the content path, and whether the label is canonical; if not, the client is redirected.
 * @throws CairnError INVALID_CID, INVALID_PATH
 */
export function parseSubdomainPath(label: string, rawPath: string): { path: ContentPath; isCanonical: boolean } {
  const cid = parseCid(label, `/ipfs/${label}`)
  const canonical = cidLabel(cid)
  return { path: { cid, cidText: canonical, ...parseSegments(rawPath) }, isCanonical: label === canonical }
}

/**
 * Returns the URL of a path on the origin of a name. Certificates cover one label only, so the dots of DNS names are
 * written as hyphens, and hyphens are doubled; names that are too long for that keep their dots when there is no TLS.
 * @throws CairnError INVALID_NAME when it is too long for a label
 * @see https://specs.ipfs.tech/http-gateways/subdomain-gateway/#host-request-header
 */
export function nameSubdomainUrl(
  host: GatewayHost,
  name: RequestedName,
  path: Pick<ContentPath, 'segments' | 'trailingSlash'>,
  search: string,
): string {
  const rest = path.segments.length === 0 ? '/' : encodePath(path)
  return `${host.protocol}://${nameLabel(host, name)}.ipns.${host.host}${rest}${search}`
}

function nameLabel({ protocol }: GatewayHost, name: RequestedName): string {
  const label = name.kind === 'ipns' ? name.name : name.host.replaceAll('-', '--').replaceAll('.', '-')
  if (label.length <= longestLabel) return label
  if (name.kind === 'dns' && protocol !== 'https') return name.host
  throw new CairnError('INVALID_NAME', {
    message: `Name incompatible with DNS label length limit of ${longestLabel}: ${label}`,
    hint: 'Open it through a path gateway.',
  })
}

/**
 * Parses the label of `{label}.ipns.{host}`: an IPNS name, a DNS name, or one whose dots are written as hyphens.
 * @returns the name, and whether the label is canonical; if not, the client is redirected.
 * @throws CairnError INVALID_NAME
 */
export function parseNameLabel(names: NameResolver, label: string): { name: RequestedName; isCanonical: boolean } {
  const cid = readCidText(label)
  // Some clients encode the hash of a key as if it were content.
  const asKey = cid?.code === dagPbCode ? names.read(CID.createV1(libp2pKeyCode, cid.multihash).toString()) : undefined
  const name =
    asKey ?? names.read(label) ?? names.read(label.replace(/--|-/g, (hyphens) => (hyphens === '-' ? '.' : '-')))
  if (name === undefined) throw invalidName(label)
  return { name, isCanonical: name.kind === 'dns' || name.name === label }
}

/** The error for a text that is neither an IPNS name nor a DNS name. */
export function invalidName(text: string): CairnError {
  return new CairnError('INVALID_NAME', { message: `Invalid IPNS name ${JSON.stringify(text.slice(0, 200))}` })
}
