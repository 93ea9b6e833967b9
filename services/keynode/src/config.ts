import { join, resolve } from 'node:path'
import { keyShardCount } from '@cairn/protocol'
import {
  type DatabaseSettings,
  databaseUrl,
  type ListenerConfig,
  list,
  listenerSettings,
  oneOf,
  optional,
  readListenerConfig,
  readSettings,
  type Setting,
  text,
  url,
  whole,
} from '@cairn/service'
import { nodeSecretBytes } from './identity.ts'

/** Another key node: where it is, and the did:key it signs with. */
export type Peer = { readonly node: number; readonly url: string; readonly publicKey: string }

/** The settings of one key node, parsed. */
export type KeyNodeConfig = ListenerConfig & {
  readonly node: number
  readonly home: string
  readonly networkName: string
  readonly host: string
  readonly port: number
  readonly publicUrl: string | undefined
  /** Domains that challenges may name: the router's host as users see it, and others the operator knows. */
  readonly domains: readonly string[]
  /** Seed of all its keys. */
  readonly secret: Uint8Array
  readonly peers: readonly Peer[]
  readonly database: DatabaseSettings
  /** JSON of the chains that conditions may use. */
  readonly chains: string | undefined
  /** How long a change may be on its way to the other nodes, in ms. */
  readonly changeMs: number
  /** Whether signatures of published clients are taken as bearers. */
  readonly legacyBearer: boolean
}

/** Every setting of a key node. `docs/configuration.md` is printed from this record. */
export const keyNodeSettings = {
  CAIRN_KEYNODE_NUMBER: {
    about: 'Which of the five nodes this is, 1 to 5.',
    fallback: '',
    read: whole(1, keyShardCount),
  },
  CAIRN_KEYNODE_HOME: {
    about: 'Folder of the node’s data.',
    fallback: '.cairn-keynode',
    read: (value: string) => resolve(value),
  },
  CAIRN_NETWORK_NAME: { about: 'Name of the network in its profile.', fallback: 'local', read: text },
  CAIRN_KEYNODE_HOST: { about: 'Address the key node binds to.', fallback: '127.0.0.1', read: text },
  CAIRN_KEYNODE_PORT: {
    about: 'Port of the key node; 9000 plus its number where empty.',
    fallback: '',
    read: optional(whole(0, 65_535)),
  },
  CAIRN_KEYNODE_PUBLIC_URL: { about: 'URL of the key node as users see it.', fallback: '', read: optional(url) },
  CAIRN_KEYNODE_DOMAINS: {
    about:
      'Hosts that a message to sign may name, separated by commas: those of the router and of the storage service, as users see them.',
    fallback: '',
    read: list,
  },
  CAIRN_KEYNODE_SECRET: {
    about: 'Secret of the node: 64 hex characters, made by `openssl rand -hex 32`. Without it no shard can be opened.',
    fallback: '',
    read: secret,
  },
  CAIRN_KEYNODE_PEERS: {
    about:
      'The other nodes as number=url#did:key, separated by commas; `GET /api/keys/node/{node}` tells each one’s key.',
    fallback: '',
    read: (value: string) => list(value).map(peer),
  },
  CAIRN_KEYNODE_DATABASE_URL: {
    about: 'postgres:// URL; SQLite in the node’s folder where empty.',
    fallback: '',
    read: databaseUrl,
  },
  CAIRN_KEYNODE_CHAINS: {
    about: 'JSON of the chains that conditions may use; CAIRN_KEYNODE_CHAINS_FILE names a file that holds it.',
    fallback: '',
    read: optional(text),
  },
  CAIRN_KEYNODE_LEGACY_BEARER: {
    about: 'on: signatures and bundled tokens of published clients are taken; off: only sessions bound to a key.',
    fallback: 'on',
    read: oneOf(['on', 'off'] as const),
  },
  CAIRN_KEYNODE_CHANGE_SECONDS: {
    about:
      'How long a change may be on its way to the other nodes: a repair takes back what too few of them have only then.',
    fallback: '30',
    read: (value: string) => 1000 * whole(0, 3600)(value),
  },
  ...listenerSettings,
} as const satisfies Record<string, Setting<unknown>>

function secret(value: string): Uint8Array {
  // The text itself stays out of the message.
  if (!/^[0-9a-fA-F]{64}$/.test(value)) throw new Error(`must be ${2 * nodeSecretBytes} hex characters`)
  return new Uint8Array(Buffer.from(value, 'hex'))
}

function peer(value: string): Peer {
  const [, node, address, publicKey] =
    /^([1-5])=(https?:\/\/[^#]+)#(did:key:z6Mk[1-9A-HJ-NP-Za-km-z]+)$/.exec(value) ?? []
  if (node === undefined || address === undefined || publicKey === undefined)
    throw new Error('must be a list such as 2=https://keys2.example#did:key:z6Mk…')
  return { node: Number(node), url: url(address), publicKey }
}

/**
 * Reads the settings of a key node out of an environment.
 * @throws CairnError INVALID_CONFIGURATION naming every setting that is wrong
 */
export function readKeyNodeConfig(
  environment: Record<string, string | undefined> = process.env,
  foreign: ReadonlySet<string> = new Set(),
): KeyNodeConfig {
  const values = readSettings(keyNodeSettings, environment, { foreign })
  const home = values.CAIRN_KEYNODE_HOME
  const node = values.CAIRN_KEYNODE_NUMBER
  const port = values.CAIRN_KEYNODE_PORT ?? 9000 + node
  const database: DatabaseSettings =
    values.CAIRN_KEYNODE_DATABASE_URL === undefined
      ? { kind: 'sqlite', path: join(home, 'keynode.sqlite') }
      : { kind: 'postgres', url: values.CAIRN_KEYNODE_DATABASE_URL }
  return Object.freeze({
    ...readListenerConfig(values, port),
    node,
    home,
    networkName: values.CAIRN_NETWORK_NAME,
    host: values.CAIRN_KEYNODE_HOST,
    port,
    publicUrl: values.CAIRN_KEYNODE_PUBLIC_URL,
    domains: values.CAIRN_KEYNODE_DOMAINS,
    secret: values.CAIRN_KEYNODE_SECRET,
    peers: values.CAIRN_KEYNODE_PEERS.filter((other) => other.node !== node),
    database,
    chains: values.CAIRN_KEYNODE_CHAINS,
    changeMs: values.CAIRN_KEYNODE_CHANGE_SECONDS,
    legacyBearer: values.CAIRN_KEYNODE_LEGACY_BEARER === 'on',
  })
}
