import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { GIB, keyNodePauseMs, MIB, slowestUploadBytesPerSecond, slowestUploadWindowMs } from '@cairn/protocol'
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
  type SettingValues,
  text,
  url,
  whole,
} from '@cairn/service'
import { readS3Settings, type S3Settings, s3StorageClasses, s3Url } from './objects/s3/s3-settings.ts'
import { type PaymentSettings, parsePaymentSettings } from './payments/payment-settings.ts'
import { type DealSettings, type ProviderSettings, parseDealSettings, parseProviders } from './proofs/proof-settings.ts'

/** How much of a disk is kept back from free storage. */
export type DiskReserve = { bytes: number } | { share: number }

/** The settings of the storage service, parsed. */
export type StorageConfig = ListenerConfig & {
  readonly home: string
  readonly networkName: string
  readonly host: string
  readonly port: number
  /** Added to every default port. */
  readonly portOffset: number
  readonly gatewayPort: number
  /** URLs as users see them; those of the listeners where they are absent. */
  readonly publicApiUrl: string | undefined
  readonly publicGatewayUrl: string | undefined
  readonly gatewayHosts: readonly string[]
  /** Where the network's key nodes are, for its profile. */
  readonly keyRouterUrl: string | undefined
  readonly keyNodeUrls: readonly string[]
  readonly keyNodePauseMs: number
  readonly database: DatabaseSettings
  readonly packFolder: string
  /** Where packs lie instead of the folder; undefined where they are files. */
  readonly s3: S3Settings | undefined
  /** Whether a message asked for without a purpose makes an API key, too, as published clients need. */
  readonly sharedMessages: boolean
  /** Bytes every new account may store. */
  readonly freeBytes: number
  /** Bytes that all accounts together may store beyond what was paid for; no bound where undefined. */
  readonly freeTotalBytes: number | undefined
  /** How much of the disk is kept back from free storage. */
  readonly freeDiskReserve: DiskReserve
  /** Accounts with a free allowance that one IP address may open in a day; no bound where undefined. */
  readonly freeAccountsPerDay: number | undefined
  /** Folder of the built web console; none is served where it is absent. */
  readonly consoleFolder: string | undefined
  /** Project of the operator at WalletConnect; the console offers wallets on other devices only where there is one. */
  readonly walletConnectProjectId: string | undefined
  /** Relay where the console meets them. */
  readonly walletConnectRelayUrl: string
  /** Base URLs of gateways that pins are fetched from. */
  readonly pinGateways: readonly string[]
  /** EVM endpoint that contract wallets are asked through (EIP-1271). */
  readonly evmRpcUrl: string | undefined
  /** Chains on which payments are taken, and where prices come from. */
  readonly payments: PaymentSettings
  /** Key that owns the test tokens of a local network; others have none. */
  readonly faucetKey: string | undefined
  /** Storage providers that aggregates are given to. */
  readonly providers: readonly ProviderSettings[]
  readonly deals: DealSettings
  /** Seals what the service keeps for others, such as the keys of names; that of the file in its home where absent. */
  readonly secret: Uint8Array | undefined
  /** DNS servers that DNSLinks are looked up with; none are where the list is empty. */
  readonly dnslinkResolvers: readonly string[]
  readonly scrubBytesPerSecond: number
  readonly packGraceMs: number
  /** How long an upload in parts waits for its next bytes, and how many an account may have. */
  readonly uploadLifeMs: number
  readonly openUploadsMost: number
  /** Memory for names and nodes of all uploads under way; derived from the heap when undefined. */
  readonly partMemoryBytes: number | undefined
  /** An upload that is slower than the least rate over this long is cut. */
  readonly uploadRateWindowMs: number
}

/** The API and the gateway: they share the process and what it may open. */
export const publicListeners = 2

/** Length of the service's secret in bytes. */
export const storageSecretBytes = 32

function storageSecret(value: string): Uint8Array {
  // The text itself stays out of the message.
  if (!/^[0-9a-fA-F]{64}$/.test(value)) throw new Error(`must be ${2 * storageSecretBytes} hex characters`)
  return new Uint8Array(Buffer.from(value, 'hex'))
}

function diskReserve(value: string): DiskReserve {
  const [, percent, bytes] = /^(?:(\d{1,2}(?:\.\d{1,3})?|100)%|(\d{1,15}))$/.exec(value) ?? []
  if (bytes !== undefined) return { bytes: Number(bytes) }
  if (percent === undefined) throw new Error('must be a share such as 10%, or bytes')
  return { share: Number(percent) / 100 }
}

function projectId(value: string): string {
  if (!/^[0-9a-f]{32}$/.test(value)) throw new Error('must be 32 hex characters')
  return value
}

function relayUrl(value: string): string {
  // Over plain ws:// a page of https:// reaches nobody, but a relay of one's own may stand on this machine.
  if (!/^wss?:$/.test(URL.parse(value)?.protocol ?? '')) throw new Error('must be a wss:// URL')
  return value
}

function region(value: string): string {
  if (!/^[a-z0-9-]{1,64}$/.test(value)) throw new Error('must be letters, digits and hyphens')
  return value
}

function dnsServer(value: string): string {
  const [, bracketed, plain, port = '53'] = /^(?:\[([^\]]+)\]|([^[\]]+?))(?::(\d{1,5}))?$/.exec(value) ?? []
  const version = isIP(value) === 6 ? 6 : isIP(bracketed ?? plain ?? '')
  const isGood = isIP(value) !== 0 || (version === (bracketed === undefined ? 4 : 6) && Number(port) <= 65_535)
  if (!isGood) throw new Error('must be a list of IP addresses, with a port behind where it is not 53')
  return value
}

/** Every setting there is. `docs/configuration.md` is printed from this record. */
export const settings = {
  CAIRN_HOME: {
    about: 'Folder of data and secrets. With SQLite it belongs to one process.',
    fallback: '.cairn',
    read: (value: string) => resolve(value),
  },
  CAIRN_PORT_OFFSET: { about: 'Added to every default port.', fallback: '0', read: whole(0, 56_000) },
  CAIRN_NETWORK_NAME: { about: 'Name of the network in its profile.', fallback: 'local', read: text },
  CAIRN_HOST: { about: 'Address the listeners bind to.', fallback: '127.0.0.1', read: text },
  CAIRN_PORT: {
    about: 'Port of the API; 8080 plus the offset where empty.',
    fallback: '',
    read: optional(whole(0, 65_535)),
  },
  CAIRN_GATEWAY_PORT: {
    about: 'Port of the gateway; 8081 plus the offset where empty.',
    fallback: '',
    read: optional(whole(0, 65_535)),
  },
  CAIRN_PUBLIC_API_URL: { about: 'URL of the API as users see it.', fallback: '', read: optional(url) },
  CAIRN_PUBLIC_GATEWAY_URL: { about: 'URL of the gateway as users see it.', fallback: '', read: optional(url) },
  CAIRN_KEY_ROUTER_URL: {
    about: 'URL of the key router as users see it, for the network’s profile.',
    fallback: '',
    read: optional(url),
  },
  CAIRN_KEY_NODE_URLS: {
    about: 'URLs of the five key nodes as users see them, in order, separated by commas, for the network’s profile.',
    fallback: '',
    read: (value: string) => list(value).map(url),
  },
  CAIRN_KEY_NODE_PAUSE_MS: {
    about: 'Pause that clients make between the five calls of a change, in ms, for the network’s profile.',
    fallback: String(keyNodePauseMs),
    read: whole(0, 60_000),
  },
  CAIRN_GATEWAY_HOSTS: {
    about: 'Host names under which each CID gets an origin of its own ({cid}.ipfs.{host}), separated by commas.',
    fallback: 'localhost',
    read: list,
  },
  CAIRN_DATABASE_URL: {
    about: 'postgres:// URL; SQLite below CAIRN_HOME where empty. CAIRN_DATABASE_URL_FILE names a file that holds it.',
    fallback: '',
    read: databaseUrl,
  },
  CAIRN_DATABASE_POOL: { about: 'Connections to PostgreSQL.', fallback: '10', read: whole(1, 200) },
  CAIRN_PACK_FOLDER: {
    about: 'Folder of the packs; packs/ below CAIRN_HOME where empty. It belongs to one database.',
    fallback: '',
    read: optional(text),
  },
  CAIRN_OBJECTS_URL: {
    about:
      's3://bucket/prefix: packs lie on an S3 store instead of a folder (docs/operate/s3.md). Needs PostgreSQL. It belongs to one database.',
    fallback: '',
    read: optional(s3Url),
  },
  CAIRN_S3_ENDPOINT: {
    about: 'URL of the S3 store; that of AWS in the region when empty.',
    fallback: '',
    read: optional(url),
  },
  CAIRN_S3_REGION: { about: 'Region of the bucket.', fallback: 'us-east-1', read: region },
  CAIRN_S3_FORCE_PATH_STYLE: {
    about: 'on: the bucket is in the path of the URL, as most stores other than AWS need; off: it is in the host name.',
    fallback: 'off',
    read: (value: string) => oneOf(['on', 'off'])(value) === 'on',
  },
  CAIRN_S3_ACCESS_KEY_ID: {
    about:
      'Access key of the S3 store. When empty, the credentials of the environment (AWS_ACCESS_KEY_ID, AWS_PROFILE, …) or of the machine. CAIRN_S3_ACCESS_KEY_ID_FILE names a file that holds it.',
    fallback: '',
    read: optional(text),
  },
  CAIRN_S3_SECRET_ACCESS_KEY: {
    about: 'Secret of the access key. CAIRN_S3_SECRET_ACCESS_KEY_FILE names a file that holds it.',
    fallback: '',
    read: optional(text),
  },
  CAIRN_S3_ENCRYPTION: {
    about: 'How the S3 store encrypts packs: AES256 or aws:kms; as the bucket says when empty.',
    fallback: '',
    read: optional(oneOf(['AES256', 'aws:kms'])),
  },
  CAIRN_S3_KMS_KEY_ID: {
    about: 'Key of aws:kms; the account’s own key of S3 when empty.',
    fallback: '',
    read: optional(text),
  },
  CAIRN_S3_STORAGE_CLASS: {
    about: `Storage class of packs: ${s3StorageClasses.join(', ')}; the store’s own default when empty.`,
    fallback: '',
    read: optional(oneOf(s3StorageClasses)),
  },
  CAIRN_SHARED_MESSAGES: {
    about:
      'on: a message that is asked for without a purpose can be signed for an API key or for one upload, as published clients need; off: for one upload only.',
    fallback: 'on',
    read: (value: string) => oneOf(['on', 'off'])(value) === 'on',
  },
  CAIRN_FREE_BYTES: {
    about: 'Bytes each new account may store without paying; 0 gives none.',
    fallback: String(5 * GIB),
    read: whole(0, Number.MAX_SAFE_INTEGER),
  },
  CAIRN_FREE_TOTAL_BYTES: {
    about:
      'Bytes that all accounts together may store without paying; 0 takes new bytes of paying accounts only, empty sets no bound.',
    fallback: String(1024 * GIB),
    read: optional(whole(0, Number.MAX_SAFE_INTEGER)),
  },
  CAIRN_FREE_DISK_RESERVE: {
    about:
      'How much of the disk of the packs is kept for paying accounts: a share of the disk (10%) or bytes; 0 keeps nothing. Packs on S3 have no disk.',
    fallback: '10%',
    read: diskReserve,
  },
  CAIRN_FREE_ACCOUNTS_PER_DAY: {
    about:
      'Accounts with free storage that one IP address (IPv6: its first 64 bits) may open in a day (UTC); further ones have to pay or come back. Empty sets no bound.',
    fallback: '20',
    read: optional(whole(0, 1_000_000_000)),
  },
  CAIRN_CONSOLE_FOLDER: {
    about: 'Folder of the built web console (apps/console/dist); none is served where it is empty.',
    fallback: '',
    read: optional(text),
  },
  CAIRN_WALLETCONNECT_PROJECT_ID: {
    about:
      'Project ID of WalletConnect (32 hex characters), with which the web console offers wallets on other devices; it asks nothing of WalletConnect where empty.',
    fallback: '',
    read: optional(projectId),
  },
  CAIRN_WALLETCONNECT_RELAY_URL: {
    about: 'Relay of WalletConnect that the web console talks to, where it has a project ID.',
    fallback: 'wss://relay.walletconnect.org',
    read: relayUrl,
  },
  CAIRN_PIN_GATEWAYS: {
    about: 'Base URLs of trustless gateways that pins are fetched from, separated by commas.',
    fallback: '',
    read: (value: string) => list(value).map(url),
  },
  CAIRN_EVM_RPC_URL: {
    about: 'EVM endpoint for signatures of contract wallets (EIP-1271); they are refused where it is empty.',
    fallback: '',
    read: optional(url),
  },
  CAIRN_PAYMENTS: {
    about: 'JSON of the chains on which payments are taken and of the price feeds (docs/payments.md).',
    fallback: '',
    read: parsePaymentSettings,
  },
  CAIRN_FAUCET_KEY: {
    about:
      'Private key that hands out test coins. Local networks set it; never set it where coins are worth something.',
    fallback: '',
    read: optional(text),
  },
  CAIRN_PROVIDERS: {
    about: 'JSON list of the storage providers that keep copies (docs/proofs.md).',
    fallback: '',
    read: parseProviders,
  },
  CAIRN_DEALS: {
    about: 'JSON of how deals are made: copies, waits, periods of challenges (docs/proofs.md).',
    fallback: '',
    read: parseDealSettings,
  },
  CAIRN_STORAGE_SECRET: {
    about:
      'Secret that keys of names are sealed with: 64 hex characters; that of storage.key below CAIRN_HOME, made at the first start, where empty. Replicas of one database need the same. CAIRN_STORAGE_SECRET_FILE names a file that holds it.',
    fallback: '',
    read: optional(storageSecret),
  },
  CAIRN_DNSLINK_RESOLVERS: {
    about:
      'Addresses of DNS servers (1.1.1.1 or [::1]:5353), separated by commas, that the gateway looks up DNSLinks with, also of hosts that requests are made to; it serves no DNS names if empty.',
    fallback: '',
    read: (value: string) => list(value).map(dnsServer),
  },
  CAIRN_SCRUB_BYTES_PER_SECOND: {
    about: 'Rate at which packs are re-read and checked in the background; 0 turns it off.',
    fallback: String(8 * MIB),
    read: whole(0, 1024 * MIB),
  },
  CAIRN_PACK_GRACE_SECONDS: {
    about: 'How long a pack stays after the last upload that needs it was deleted.',
    fallback: String(24 * 3600),
    read: (value: string) => whole(0, 366 * 24 * 3600)(value) * 1000,
  },
  CAIRN_UPLOAD_LIFE_SECONDS: {
    about: 'How long an upload that comes in parts waits for its next bytes before it is given up.',
    fallback: String(7 * 24 * 3600),
    read: (value: string) => whole(60, 366 * 24 * 3600)(value) * 1000,
  },
  CAIRN_OPEN_UPLOADS: {
    about: 'Uploads in parts that one account may have unfinished.',
    fallback: '100',
    read: whole(0, 100_000),
  },
  CAIRN_PART_MEMORY_BYTES: {
    about:
      'Bytes of memory for the names and parts of all uploads under way, half of it for one upload. Half of the heap that Node allows when empty.',
    fallback: '',
    read: optional(whole(MIB, Number.MAX_SAFE_INTEGER)),
  },
  CAIRN_UPLOAD_RATE_WINDOW_SECONDS: {
    about: `An upload that brings less than ${slowestUploadBytesPerSecond.toLocaleString('en')} bytes per second, averaged over this long, is cut.`,
    fallback: String(slowestUploadWindowMs / 1000),
    read: (value: string) => whole(1, 3600)(value) * 1000,
  },
  ...listenerSettings,
} as const satisfies Record<string, Setting<unknown>>

/**
 * Reads the settings out of an environment.
 * @throws CairnError INVALID_CONFIGURATION naming every setting that is wrong, and every CAIRN_ name that is unknown.
 */
export function readConfig(
  environment: Record<string, string | undefined> = process.env,
  foreign: ReadonlySet<string> = new Set(),
): StorageConfig {
  return toConfig(readSettings(settings, environment, { foreign }))
}

function toConfig(values: SettingValues<typeof settings>): StorageConfig {
  const home = values.CAIRN_HOME
  const port = values.CAIRN_PORT ?? 8080 + values.CAIRN_PORT_OFFSET
  const database: DatabaseSettings =
    values.CAIRN_DATABASE_URL === undefined
      ? { kind: 'sqlite', path: join(home, 'storage.sqlite') }
      : { kind: 'postgres', url: values.CAIRN_DATABASE_URL, poolSize: values.CAIRN_DATABASE_POOL }
  return Object.freeze({
    ...readListenerConfig(values, port),
    home,
    networkName: values.CAIRN_NETWORK_NAME,
    host: values.CAIRN_HOST,
    portOffset: values.CAIRN_PORT_OFFSET,
    port,
    gatewayPort: values.CAIRN_GATEWAY_PORT ?? 8081 + values.CAIRN_PORT_OFFSET,
    publicApiUrl: values.CAIRN_PUBLIC_API_URL,
    publicGatewayUrl: values.CAIRN_PUBLIC_GATEWAY_URL,
    gatewayHosts: values.CAIRN_GATEWAY_HOSTS,
    keyRouterUrl: values.CAIRN_KEY_ROUTER_URL,
    keyNodeUrls: values.CAIRN_KEY_NODE_URLS,
    keyNodePauseMs: values.CAIRN_KEY_NODE_PAUSE_MS,
    database,
    packFolder: values.CAIRN_PACK_FOLDER ?? join(home, 'packs'),
    s3: readS3Settings(values),
    sharedMessages: values.CAIRN_SHARED_MESSAGES,
    freeBytes: values.CAIRN_FREE_BYTES,
    freeTotalBytes: values.CAIRN_FREE_TOTAL_BYTES,
    freeDiskReserve: values.CAIRN_FREE_DISK_RESERVE,
    freeAccountsPerDay: values.CAIRN_FREE_ACCOUNTS_PER_DAY,
    consoleFolder: values.CAIRN_CONSOLE_FOLDER,
    walletConnectProjectId: values.CAIRN_WALLETCONNECT_PROJECT_ID,
    walletConnectRelayUrl: values.CAIRN_WALLETCONNECT_RELAY_URL,
    pinGateways: values.CAIRN_PIN_GATEWAYS,
    evmRpcUrl: values.CAIRN_EVM_RPC_URL,
    payments: values.CAIRN_PAYMENTS,
    faucetKey: values.CAIRN_FAUCET_KEY,
    providers: values.CAIRN_PROVIDERS,
    deals: values.CAIRN_DEALS,
    secret: values.CAIRN_STORAGE_SECRET,
    dnslinkResolvers: values.CAIRN_DNSLINK_RESOLVERS,
    scrubBytesPerSecond: values.CAIRN_SCRUB_BYTES_PER_SECOND,
    packGraceMs: values.CAIRN_PACK_GRACE_SECONDS,
    uploadLifeMs: values.CAIRN_UPLOAD_LIFE_SECONDS,
    openUploadsMost: values.CAIRN_OPEN_UPLOADS,
    partMemoryBytes: values.CAIRN_PART_MEMORY_BYTES,
    uploadRateWindowMs: values.CAIRN_UPLOAD_RATE_WINDOW_SECONDS,
  })
}
