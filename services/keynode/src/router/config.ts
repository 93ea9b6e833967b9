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

/** The settings of the key router, parsed. */
export type KeyRouterConfig = ListenerConfig & {
  readonly networkName: string
  readonly host: string
  readonly port: number
  readonly publicUrl: string | undefined
  /** Base URLs of the five nodes, in order. */
  readonly nodes: readonly string[]
}

/** Every setting of the key router. `docs/configuration.md` is printed from this record. */
export const keyRouterSettings = {
  CAIRN_NETWORK_NAME: { about: 'Name of the network in its profile.', fallback: 'local', read: text },
  CAIRN_KEYROUTER_HOST: { about: 'Address the key router binds to.', fallback: '127.0.0.1', read: text },
  CAIRN_KEYROUTER_PORT: { about: 'Port of the key router.', fallback: '9000', read: whole(0, 65_535) },
  CAIRN_KEYROUTER_PUBLIC_URL: {
    about: 'URL of the key router as users see it; its host is the domain that messages to sign name.',
    fallback: '',
    read: optional(url),
  },
  CAIRN_KEYROUTER_NODES: {
    about: 'Base URLs of the five key nodes, in order, separated by commas.',
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
 * Reads the settings of the key router out of an environment.
 * @throws CairnError INVALID_CONFIGURATION naming every setting that is wrong
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
