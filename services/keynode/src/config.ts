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
import { type BackupSettings, backupSettings, readBackupSettings } from '@cairn/service/backup'
import { nodeSecretBytes } from './identity.ts'

/** Another key node: its URL, and the did:key that it signs with. */
export type Peer = { readonly node: number; readonly url: string; readonly publicKey: string }

/** The settings of one key node, parsed. */
export type KeyNodeConfig = ListenerConfig & {
  readonly node: number
  readonly home: string
  readonly networkName: string
  readonly host: string
  readonly port: number
  readonly publicUrl: string | undefined
  /** Domains that challenges may name: the router's public host, and others that the operator configures. */
  readonly domains: readonly string[]
  /** Seed of all its keys. */
  readonly secret: Uint8Array
  /** Second secret that is also accepted during a rotation. */
  readonly secondarySecret: Uint8Array | undefined
  readonly peers: readonly Peer[]
  readonly database: DatabaseSettings
  /** JSON of the chains for conditions. */
  readonly chains: string | undefined
  /** How long a change may take to reach the other nodes, in ms. */
  readonly changeMs: number
  /** Days that the access log is kept; 0 keeps none. */
  readonly accessLogDays: number
  /** Who can open backups, and how to reach s3:// destinations. */
  readonly backup: BackupSettings
  /** Whether signatures of published clients are accepted as bearers. */
  readonly legacyBearer: boolean
}

/** All settings of a key node. `docs/configuration.md` is generated from this record. */
export const keyNodeSettings = {
  CAIRN_KEYNODE_NUMBER: {
    about: 'Number of this node, 1 to 5.',
    fallback: '',
    read: whole(1, keyShardCount),
  },
  CAIRN_KEYNODE_HOME: {
    about: 'Data folder of the key node.',
    fallback: '.cairn-keynode',
    read: (value: string) => resolve(value),
  },
  CAIRN_NETWORK_NAME: { about: 'Network name in the network profile.', fallback: 'local', read: text },
  CAIRN_KEYNODE_HOST: { about: 'Address that the key node binds to.', fallback: '127.0.0.1', read: text },
  CAIRN_KEYNODE_PORT: {
    about: 'Port of the key node. When empty, 9000 plus its number.',
    fallback: '',
    read: optional(whole(0, 65_535)),
  },
  CAIRN_KEYNODE_PUBLIC_URL: { about: 'Public URL of the key node.', fallback: '', read: optional(url) },
  CAIRN_KEYNODE_DOMAINS: {
    about:
      'Comma-separated hosts that are accepted in a signed message: the public hosts of the router and the storage service.',
    fallback: '',
    read: list,
  },
  CAIRN_KEYNODE_SECRET: {
    about:
      'Secret of the key node, 64 hex characters. Create it with `openssl rand -hex 32`. Without it, no shard can be opened.',
    fallback: '',
    read: secret,
  },
  CAIRN_KEYNODE_SECRET_SECONDARY: {
    about:
      'Second secret that also opens shards during a rotation of CAIRN_KEYNODE_SECRET (docs/operate/upgrade.md). New shards are encrypted with CAIRN_KEYNODE_SECRET.',
    fallback: '',
    read: optional(secret),
  },
  CAIRN_KEYNODE_PEERS: {
    about:
      'Comma-separated list of the other nodes as number=url#did:key. `GET /api/keys/node/{node}` returns the key of a node.',
    fallback: '',
    read: (value: string) => list(value).map(peer),
  },
  CAIRN_KEYNODE_DATABASE_URL: {
    about: 'postgres:// URL. When empty, SQLite in the data folder of the node.',
    fallback: '',
    read: databaseUrl,
  },
  CAIRN_KEYNODE_CHAINS: {
    about: 'JSON of the chains that conditions can use. CAIRN_KEYNODE_CHAINS_FILE sets a file that contains it.',
    fallback: '',
    read: optional(text),
  },
  CAIRN_KEYNODE_LEGACY_BEARER: {
    about:
      'on accepts signatures and bundled tokens of published clients. off accepts only sessions that are bound to a key.',
    fallback: 'on',
    read: oneOf(['on', 'off'] as const),
  },
  CAIRN_KEYNODE_CHANGE_SECONDS: {
    about:
      'How long a change can take to reach the other nodes. A repair reverts an incomplete change only after this time.',
    fallback: '30',
    read: (value: string) => 1000 * whole(0, 3600)(value),
  },
  CAIRN_KEYNODE_ACCESS_LOG_DAYS: {
    about:
      'How many days the log of who opened a file, or was refused, is kept for the owner of the file. 0 keeps no log and deletes the existing one.',
    fallback: '90',
    read: whole(0, 3650),
  },
  ...backupSettings,
  ...listenerSettings,
} as const satisfies Record<string, Setting<unknown>>

function secret(value: string): Uint8Array {
  // The message omits the value.
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
 * Parses the settings of a key node from an environment.
 * @throws CairnError INVALID_CONFIGURATION naming every invalid setting
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
    secondarySecret: values.CAIRN_KEYNODE_SECRET_SECONDARY,
    peers: values.CAIRN_KEYNODE_PEERS.filter((other) => other.node !== node),
    database,
    chains: values.CAIRN_KEYNODE_CHAINS,
    changeMs: values.CAIRN_KEYNODE_CHANGE_SECONDS,
    accessLogDays: values.CAIRN_KEYNODE_ACCESS_LOG_DAYS,
    backup: readBackupSettings(values),
    legacyBearer: values.CAIRN_KEYNODE_LEGACY_BEARER === 'on',
  })
}
