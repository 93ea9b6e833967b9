import { keyShardCount } from '@cairn/protocol'
import {
  type ListenerConfig,
  list,
  listenerSettings,
  optional,
  readListenerConfig,
  readSettings,
  type Setting,
  text,
  url,
  whole,
} from '@cairn/service'

/** Settings of the key router, parsed. */
export type KeyRouterConfig = ListenerConfig & {
  readonly networkName: string
  readonly host: string
  readonly port: number
  readonly publicUrl: string | undefined
  /** Base URLs of the five nodes, in order. */
  readonly nodes: readonly string[]
}

/** All settings of the key router. `docs/configuration.md` is generated from this record. */
export const keyRouterSettings = {
  CAIRN_NETWORK_NAME: { about: 'Network name in the network profile.', fallback: 'local', read: text },
  CAIRN_KEYROUTER_HOST: { about: 'Address that the key router binds to.', fallback: '127.0.0.1', read: text },
  CAIRN_KEYROUTER_PORT: { about: 'Port of the key router.', fallback: '9000', read: whole(0, 65_535) },
  CAIRN_KEYROUTER_PUBLIC_URL: {
    about: 'Public URL of the key router. Messages to sign contain its host as the domain.',
    fallback: '',
    read: optional(url),
  },
  CAIRN_KEYROUTER_NODES: {
    about: 'Comma-separated base URLs of the five key nodes, in order.',
    fallback: '',
    read: nodes,
  },
  ...listenerSettings,
} as const satisfies Record<string, Setting<unknown>>

function nodes(value: string): string[] {
  const urls = list(value).map(url)
  if (urls.length !== keyShardCount) throw new Error(`must be ${keyShardCount} URLs`)
  return urls
}

/**
 * Parses the settings of the key router from an environment.
 * @throws CairnError INVALID_CONFIGURATION naming every invalid setting
 */
export function readKeyRouterConfig(
  environment: Record<string, string | undefined> = process.env,
  foreign: ReadonlySet<string> = new Set(),
): KeyRouterConfig {
  const values = readSettings(keyRouterSettings, environment, { foreign })
  return Object.freeze({
    ...readListenerConfig(values, values.CAIRN_KEYROUTER_PORT),
    networkName: values.CAIRN_NETWORK_NAME,
    host: values.CAIRN_KEYROUTER_HOST,
    port: values.CAIRN_KEYROUTER_PORT,
    publicUrl: values.CAIRN_KEYROUTER_PUBLIC_URL,
    nodes: values.CAIRN_KEYROUTER_NODES,
  })
}
