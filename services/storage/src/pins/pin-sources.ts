import { isIP } from 'node:net'
import type { StorageConfig } from '../config.ts'

/** A trustless gateway that content is fetched from. */
export type PinSource = {
  readonly url: string
  /** Whether private addresses are allowed, because the operator configured it. */
  readonly allowsPrivate: boolean
}

/** Returns the gateways that the operator configured. */
export function listGateways({ pinGateways }: Pick<StorageConfig, 'pinGateways'>): PinSource[] {
  return pinGateways.map((url) => ({ url, allowsPrivate: true }))
}

/** Returns the sources of a pin: the origins that are HTTP gateways, then the operator's gateways. */
export function listSources(
  config: Pick<StorageConfig, 'pinGateways' | 'allowsPrivateOrigins'>,
  origins: readonly string[],
): PinSource[] {
  const urls = new Set(origins.flatMap((origin) => readOrigin(origin) ?? []))
  return [...[...urls].map((url) => ({ url, allowsPrivate: config.allowsPrivateOrigins })), ...listGateways(config)]
}

/** `/dns4/{host}/tcp/{port}/https` and similar multiaddrs, with an optional peer id at the end. */
const httpOrigin =
  /^\/(dns|dns4|dns6|ip4|ip6)\/([A-Za-z0-9.:_-]{1,253})\/tcp\/(\d{1,5})\/(http|https|tls\/http|tls\/sni\/([A-Za-z0-9._-]{1,253})\/http)(?:\/p2p\/\w{1,100})?\/?$/

/** Returns the base URL of an HTTP server's multiaddr; undefined for any other multiaddr, such as that of a libp2p peer. */
export function readOrigin(multiaddr: string): string | undefined {
  const [, kind, host = '', port, protocol, serverName = host] = httpOrigin.exec(multiaddr) ?? []
  if (kind === undefined || Number(port) > 65_535) return undefined
  const version = isIP(host)
  if (kind.startsWith('ip') ? kind !== `ip${version}` : version !== 0) return undefined
  // A URL cannot connect to one host and name another.
  if (serverName !== host) return undefined
  const scheme = protocol === 'http' ? 'http' : 'https'
  return URL.parse(`${scheme}://${version === 6 ? `[${host}]` : host}:${port}`)?.origin
}
