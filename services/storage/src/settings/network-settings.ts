import { resolve } from 'node:path'
import { keyNodePauseMs } from '@cairn/protocol'
import { list, optional, type SettingValues, text, url, whole } from '@cairn/service'

/** Settings: where the service is reached, and what the profile of its network names. */
export const networkSettings = {
  CAIRN_HOME: {
    about: 'Folder for data and secrets. With SQLite, only one process can use it.',
    fallback: '.cairn',
    read: (value: string) => resolve(value),
  },
  CAIRN_PORT_OFFSET: { about: 'Offset added to every default port.', fallback: '0', read: whole(0, 56_000) },
  CAIRN_NETWORK_NAME: { about: 'Network name in the network profile.', fallback: 'local', read: text },
  CAIRN_HOST: { about: 'Address that the listeners bind to.', fallback: '127.0.0.1', read: text },
  CAIRN_PORT: {
    about: 'Port of the API. When empty, 8080 plus the offset.',
    fallback: '',
    read: optional(whole(0, 65_535)),
  },
  CAIRN_GATEWAY_PORT: {
    about: 'Port of the gateway. When empty, 8081 plus the offset.',
    fallback: '',
    read: optional(whole(0, 65_535)),
  },
  CAIRN_PUBLIC_API_URL: { about: 'Public URL of the API.', fallback: '', read: optional(url) },
  CAIRN_PUBLIC_GATEWAY_URL: { about: 'Public URL of the gateway.', fallback: '', read: optional(url) },
  CAIRN_KEY_ROUTER_URL: {
    about: 'Public URL of the key router, for the network profile.',
    fallback: '',
    read: optional(url),
  },
  CAIRN_KEY_NODE_URLS: {
    about:
      'Comma-separated public URLs of the five key nodes, in order, for the network profile. The service asks them whether pinned content is encrypted.',
    fallback: '',
    read: (value: string) => list(value).map(url),
  },
  CAIRN_KEY_NODE_PAUSE_MS: {
    about: 'Pause of clients between the five calls of a change, in ms, for the network profile.',
    fallback: String(keyNodePauseMs),
    read: whole(0, 60_000),
  },
  CAIRN_GATEWAY_HOSTS: {
    about: 'Comma-separated host names under which each CID gets its own origin ({cid}.ipfs.{host}).',
    fallback: 'localhost',
    read: list,
  },
}

/** Where the service is reached, and what the profile of its network names. */
export type NetworkConfig = {
  readonly home: string
  readonly networkName: string
  readonly host: string
  readonly port: number
  /** Added to every default port. */
  readonly portOffset: number
  readonly gatewayPort: number
  /** URLs as users see them. Default to those of the listeners. */
  readonly publicApiUrl: string | undefined
  readonly publicGatewayUrl: string | undefined
  readonly gatewayHosts: readonly string[]
  /** URLs of the network's key nodes, for its profile. */
  readonly keyRouterUrl: string | undefined
  readonly keyNodeUrls: readonly string[]
  readonly keyNodePauseMs: number
}

export function readNetworkConfig(values: SettingValues<typeof networkSettings>): NetworkConfig {
  return {
    home: values.CAIRN_HOME,
    networkName: values.CAIRN_NETWORK_NAME,
    host: values.CAIRN_HOST,
    port: values.CAIRN_PORT ?? 8080 + values.CAIRN_PORT_OFFSET,
    portOffset: values.CAIRN_PORT_OFFSET,
    gatewayPort: values.CAIRN_GATEWAY_PORT ?? 8081 + values.CAIRN_PORT_OFFSET,
    publicApiUrl: values.CAIRN_PUBLIC_API_URL,
    publicGatewayUrl: values.CAIRN_PUBLIC_GATEWAY_URL,
    gatewayHosts: values.CAIRN_GATEWAY_HOSTS,
    keyRouterUrl: values.CAIRN_KEY_ROUTER_URL,
    keyNodeUrls: values.CAIRN_KEY_NODE_URLS,
    keyNodePauseMs: values.CAIRN_KEY_NODE_PAUSE_MS,
  }
}
