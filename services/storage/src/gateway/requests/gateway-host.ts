import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** The kind of host that a request was sent to. */
export type GatewayHost =
  /**
   * A name or address without subdomains: `/ipfs/…` is answered directly. `domain` is set if it may be a user's site.
   */
  | { kind: 'path'; protocol: string; host: string; domain?: string }
  /** A user's own domain, whose DNSLink names its content. */
  | { kind: 'site'; protocol: string; host: string }
  /** A name with subdomains: `/ipfs/{cid}` redirects to the origin of that CID. */
  | { kind: 'root'; protocol: string; host: string }
  /** An origin of one CID or name: `{label}.ipfs.{host}`. */
  | { kind: 'subdomain'; protocol: string; host: string; namespace: 'ipfs' | 'ipns'; label: string }

/** The operator's host settings. */
export type HostSettings = {
  /** Names with subdomains, in lower case, without port. */
  subdomainHosts: readonly string[]
  /** The gateway's own name, in lower case, without port: never treated as a user's site. */
  ownHost: string | undefined
  /** Whether an address is a proxy whose `X-Forwarded-*` headers count. */
  isTrustedProxy: (address: string) => boolean
}

/**
 * Reads the host from the Host header or, behind a trusted proxy, from X-Forwarded-Host and -Proto. Hosts compare
 * without case; the label keeps its case, which matters in a CIDv0.
 * @see https://specs.ipfs.tech/http-gateways/subdomain-gateway/
 */
export function readGatewayHost(request: IncomingMessage, url: string, settings: HostSettings): GatewayHost {
  const target = readAbsoluteTarget(url)
  const { headers, socket } = request
  const trusted = socket.remoteAddress !== undefined && settings.isTrustedProxy(socket.remoteAddress)
  const forwardedHost = trusted ? firstValue(headers['x-forwarded-host']) : undefined
  const forwardedProto = trusted ? firstValue(headers['x-forwarded-proto']) : undefined
  const host = forwardedHost ?? target?.host ?? headers.host ?? ''
  const protocol = forwardedProto === 'https' || forwardedProto === 'http' ? forwardedProto : 'http'
  const { name, port } = splitPort(host)
  const lower = name.toLowerCase()
  if (isIP(lower.replace(/^\[|\]$/g, '')) !== 0) return { kind: 'path', protocol, host: lower + port }
  for (const candidate of settings.subdomainHosts) {
    if (lower === candidate) return { kind: 'root', protocol, host: candidate + port }
    const namespace = (['ipfs', 'ipns'] as const).find((space) => lower.endsWith(`.${space}.${candidate}`))
    if (namespace === undefined) continue
    const label = name.slice(0, name.length - candidate.length - namespace.length - 2)
    return { kind: 'subdomain', protocol, host: candidate + port, namespace, label }
  }
  if (!isHostName(lower)) return { kind: 'path', protocol, host: '' }
  const mayBeSite = lower.includes('.') && lower !== settings.ownHost
  return { kind: 'path', protocol, host: lower + port, ...(mayBeSite ? { domain: lower } : {}) }
}

/** Whether the host is the origin of one CID or name only. */
export function hasOwnOrigin({ kind }: GatewayHost): boolean {
  return kind === 'subdomain' || kind === 'site'
}

/** Returns the path and query of a request, including one in the absolute form that proxies use. */
export function readTarget(url: string): { path: string; search: string } {
  const local = readAbsoluteTarget(url)?.rest ?? url
  const hash = local.indexOf('#')
  const clean = hash === -1 ? local : local.slice(0, hash)
  const mark = clean.indexOf('?')
  return mark === -1 ? { path: clean, search: '' } : { path: clean.slice(0, mark), search: clean.slice(mark) }
}

function readAbsoluteTarget(url: string): { host: string; rest: string } | undefined {
  if (url.startsWith('/')) return undefined
  const match = /^https?:\/\/([^/?#]+)([/?#].*)?$/is.exec(url)
  if (match === null) return undefined
  const rest = match[2] ?? ''
  return { host: match[1] ?? '', rest: rest.startsWith('/') ? rest : `/${rest}` }
}

function firstValue(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header[0] : header
  const first = text?.split(',')[0]?.trim()
  return first === '' ? undefined : first
}

function splitPort(host: string): { name: string; port: string } {
  const match = /^(.*?)(:\d{1,5})?$/.exec(host)
  return { name: (match?.[1] ?? '').replace(/\.$/, ''), port: match?.[2] ?? '' }
}

/** Only names of letters, digits, dots and hyphens are ever written into a page or a Location header. */
function isHostName(name: string): boolean {
  return /^[a-z0-9.-]{1,253}$/.test(name)
}
