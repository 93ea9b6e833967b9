import { isIP } from 'node:net'
import { GIB } from '@cairn/protocol'
import { list, type SettingValues, whole } from '@cairn/service'

function dnsServer(value: string): string {
  const [, bracketed, plain, port = '53'] = /^(?:\[([^\]]+)\]|([^[\]]+?))(?::(\d{1,5}))?$/.exec(value) ?? []
  const version = isIP(value) === 6 ? 6 : isIP(bracketed ?? plain ?? '')
  const isGood = isIP(value) !== 0 || (version === (bracketed === undefined ? 4 : 6) && Number(port) <= 65_535)
  if (!isGood) throw new Error('must be a list of IP addresses, each with a port if it is not 53')
  return value
}

/** Settings: names and pictures at the gateway. */
export const gatewaySettings = {
  CAIRN_DNSLINK_RESOLVERS: {
    about:
      'Comma-separated addresses of DNS servers (1.1.1.1 or [::1]:5353) for DNSLink lookups of the gateway, including those of request hosts. When empty, the gateway serves no DNS names.',
    fallback: '',
    read: (value: string) => list(value).map(dnsServer),
  },
  CAIRN_PICTURE_PROCESSES: {
    about:
      'Maximum number of processes that resize pictures for the gateway, one picture at a time each (docs/how-to/pictures.md). 0 turns resizing off.',
    fallback: '2',
    read: whole(0, 64),
  },
  CAIRN_PICTURE_CACHE_BYTES: {
    about: 'Disk space for resized pictures, in cache/pictures in CAIRN_HOME, in bytes. 0 keeps none.',
    fallback: String(GIB),
    read: whole(0, Number.MAX_SAFE_INTEGER),
  },
}

/** Names and pictures at the gateway. */
export type GatewayConfig = {
  /** DNS servers for resolving DNSLinks; an empty list disables them. */
  readonly dnslinkResolvers: readonly string[]
  /** Resizing of pictures at the gateway; off with 0 processes. */
  readonly pictures: { readonly processes: number; readonly cacheBytes: number }
}

export function readGatewayConfig(values: SettingValues<typeof gatewaySettings>): GatewayConfig {
  return {
    dnslinkResolvers: values.CAIRN_DNSLINK_RESOLVERS,
    pictures: { processes: values.CAIRN_PICTURE_PROCESSES, cacheBytes: values.CAIRN_PICTURE_CACHE_BYTES },
  }
}
