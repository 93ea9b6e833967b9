import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { GIB, keyNodePauseMs, MIB, minSpeedWindowMs, minUploadBytesPerSecond } from '@cairn/protocol'
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
import { type BackupSettings, backupSettings, readBackupSettings } from '@cairn/service/backup'
import { type S3Settings, s3Region, s3StorageClasses, s3Url } from '@cairn/service/objects'
import {
  type DealSettings,
  type ProviderSettings,
  parseDealSettings,
  parseProviders,
} from './settings/deal-settings.ts'
import type { MergeSettings } from './settings/merge-settings.ts'
import { mergeSettings, readMergeSettings } from './settings/merge-settings.ts'
import { type PaymentSettings, parsePaymentSettings } from './settings/payment-settings.ts'
import { readS3Settings } from './settings/s3-settings.ts'

/** Disk space reserved from free storage. */
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
  /** URLs as users see them. Default to those of the listeners. */
  readonly publicApiUrl: string | undefined
  readonly publicGatewayUrl: string | undefined
  readonly gatewayHosts: readonly string[]
  /** URLs of the network's key nodes, for its profile. */
  readonly keyRouterUrl: string | undefined
  readonly keyNodeUrls: readonly string[]
  readonly keyNodePauseMs: number
  readonly database: DatabaseSettings
  readonly packFolder: string
  /** The S3 API; undefined when none is served. */
  readonly s3Api: S3ApiSettings | undefined
  /** Location of packs on S3; undefined when they are files. */
  readonly s3: S3Settings | undefined
  /** Cache of packs of an S3 store; undefined when there is none. */
  readonly objectCache: { readonly folder: string; readonly maxBytes: number } | undefined
  /** Who can open backups, and how to reach s3:// destinations. */
  readonly backup: BackupSettings
  /** Whether a message requested without a purpose may also create an API key, as published clients need. */
  readonly sharedMessages: boolean
  /** Bytes every new account may store. */
  readonly freeBytes: number
  /** Bytes that all accounts together may store beyond what was paid for; unlimited when undefined. */
  readonly freeTotalBytes: number | undefined
  /** Disk space reserved from free storage. */
  readonly freeDiskReserve: DiskReserve
  /** Accounts with a free allowance that one IP address may open per day; unlimited when undefined. */
  readonly freeAccountsPerDay: number | undefined
  /** Folder of the built web console. Required when the console is served. */
  readonly consoleFolder: string | undefined
  /** Domain of passkeys; undefined if the console offers none. */
  readonly passkeyDomain: string | undefined
  /** The operator's WalletConnect project id. Required when the console offers wallets on other devices. */
  readonly walletConnectProjectId: string | undefined
  /** WalletConnect relay for the console. */
  readonly walletConnectRelayUrl: string
  /** Base URLs of gateways that pins are fetched from. */
  readonly pinGateways: readonly string[]
  /** Whether origins of pins may have private addresses. */
  readonly allowsPrivateOrigins: boolean
  /** Unfinished pins that one account may have. */
  readonly maxOpenPins: number
  /** How long events are stored, and how many of them per account. */
  readonly eventLifetimeMs: number
  readonly maxEventsPerAccount: number
  /** Open event streams per account and in total, in one process. */
  readonly maxEventStreamsPerAccount: number
  readonly maxEventStreams: number
  readonly maxWebhooksPerAccount: number
  /** Whether webhooks may use http and private addresses. */
  readonly allowsPrivateWebhooks: boolean
  /** A webhook without a success for this long is disabled. */
  readonly webhookFailureMs: number
  /** EVM endpoint for queries to contract wallets (EIP-1271). */
  readonly evmRpcUrl: string | undefined
  /** Chains on which payments are accepted, and price sources. */
  readonly payments: PaymentSettings
  /** Key that owns the test tokens of a local network; undefined on others. */
  readonly faucetKey: string | undefined
  /** Storage providers that receive aggregates. */
  readonly providers: readonly ProviderSettings[]
  readonly deals: DealSettings
  /** Seals what the service stores for users, such as name keys. Defaults to the secret in its home. */
  readonly secret: Uint8Array | undefined
  /** Accepted beside it, while one replaces the other. */
  readonly secondarySecret: Uint8Array | undefined
  /** DNS servers for resolving DNSLinks; an empty list disables them. */
  readonly dnslinkResolvers: readonly string[]
  /** Denylists: files and folders of them, and URLs that are fetched every so often. */
  readonly denylistFiles: readonly string[]
  readonly denylistUrls: readonly string[]
  readonly denylistRefreshMs: number
  /** Where people report content, or object. */
  readonly reportAddress: string | undefined
  /** The operator's Kubo, which announced content is handed to. */
  readonly kubo: { readonly url: string; readonly authorization: string | undefined } | undefined
  /** Indexers that content is announced to, and whether unencrypted uploads are if they do not choose. */
  readonly ipni: { readonly indexers: readonly string[]; readonly announcesByDefault: boolean }
  readonly scrubBytesPerSecond: number
  readonly packGraceMs: number
  /** How small packs are merged; undefined when they are not. */
  readonly merging: MergeSettings | undefined
  /** How long a resumable upload waits for its next bytes, and how many an account may have. */
  readonly uploadLifeMs: number
  readonly maxOpenUploads: number
  /** Memory for names and nodes of all uploads in progress; derived from the heap when undefined. */
  readonly partMemoryBytes: number | undefined
  /** An upload that stays below the minimum rate for this long is aborted. */
  readonly uploadRateWindowMs: number
  /** Resizing of pictures at the gateway; off with 0 processes. */
  readonly pictures: { readonly processes: number; readonly cacheBytes: number }
}

/** Where the S3 API is served. */
export type S3ApiSettings = {
  readonly port: number
  /** URL as users see it; that of the listener when undefined. */
  readonly publicUrl: string | undefined
  readonly region: string
  /** Names under which a bucket may be the first label of the host. */
  readonly hosts: readonly string[]
}

/** The API, the gateway and, if it is served, S3: they share the process and what it may open. */
export function countPublicListeners({ s3Api }: Pick<StorageConfig, 's3Api'>): number {
  return s3Api === undefined ? 2 : 3
}

/** Length of the service's secret in bytes. */
export const storageSecretBytes = 32

function storageSecret(value: string): Uint8Array {
  // The message omits the value.
  if (!/^[0-9a-fA-F]{64}$/.test(value)) throw new Error(`must be ${2 * storageSecretBytes} hex characters`)
  return new Uint8Array(Buffer.from(value, 'hex'))
}

function diskReserve(value: string): DiskReserve {
  const [, percent, bytes] = /^(?:(\d{1,2}(?:\.\d{1,3})?|100)%|(\d{1,15}))$/.exec(value) ?? []
  if (bytes !== undefined) return { bytes: Number(bytes) }
  if (percent === undefined) throw new Error('must be a percentage such as 10%, or bytes')
  return { share: Number(percent) / 100 }
}

function projectId(value: string): string {
  if (!/^[0-9a-f]{32}$/.test(value)) throw new Error('must be 32 hex characters')
  return value
}

function passkeyDomain(value: string): string {
  if (!/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(value) || isIP(value) !== 0) {
    throw new Error('must be a host name in lower case, not an IP address')
  }
  return value
}

function relayUrl(value: string): string {
  // Pages on https:// cannot use plain ws://, except for a relay on this machine.
  if (!/^wss?:$/.test(URL.parse(value)?.protocol ?? '')) throw new Error('must be a wss:// URL')
  return value
}

function reportAddress(value: string): string {
  if (value.length > 300 || !/^(https?:\/\/\S+|[^\s@]+@[^\s@]+)$/.test(value)) {
    throw new Error('must be an email address or an http or https URL')
  }
  return value
}

function dnsServer(value: string): string {
  const [, bracketed, plain, port = '53'] = /^(?:\[([^\]]+)\]|([^[\]]+?))(?::(\d{1,5}))?$/.exec(value) ?? []
  const version = isIP(value) === 6 ? 6 : isIP(bracketed ?? plain ?? '')
  const isGood = isIP(value) !== 0 || (version === (bracketed === undefined ? 4 : 6) && Number(port) <= 65_535)
  if (!isGood) throw new Error('must be a list of IP addresses, each with a port if it is not 53')
  return value
}

/** All settings. `docs/configuration.md` is generated from this record. */
export const settings = {
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
    about: 'Comma-separated public URLs of the five key nodes, in order, for the network profile.',
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
  CAIRN_DATABASE_URL: {
    about: 'postgres:// URL. When empty, SQLite in CAIRN_HOME. CAIRN_DATABASE_URL_FILE sets a file that contains it.',
    fallback: '',
    read: databaseUrl,
  },
  CAIRN_DATABASE_POOL: { about: 'Maximum connections to PostgreSQL.', fallback: '10', read: whole(1, 200) },
  CAIRN_PACK_FOLDER: {
    about: 'Folder of the packs, used by one database. When empty, packs/ in CAIRN_HOME.',
    fallback: '',
    read: optional(text),
  },
  CAIRN_OBJECTS_URL: {
    about:
      's3://bucket/prefix to store packs on S3 instead of in a folder (docs/operate/s3.md), used by one database. Requires PostgreSQL.',
    fallback: '',
    read: optional(s3Url),
  },
  CAIRN_S3_ENDPOINT: {
    about: 'URL of the S3 store. When empty, AWS in the region.',
    fallback: '',
    read: optional(url),
  },
  CAIRN_S3_REGION: { about: 'Region of the bucket.', fallback: 'us-east-1', read: s3Region },
  CAIRN_S3_FORCE_PATH_STYLE: {
    about:
      'on puts the bucket in the URL path, which most stores other than AWS require. off puts it in the host name.',
    fallback: 'off',
    read: (value: string) => oneOf(['on', 'off'])(value) === 'on',
  },
  CAIRN_S3_ACCESS_KEY_ID: {
    about:
      'Access key of the S3 store. When empty, the credentials of the environment (AWS_ACCESS_KEY_ID, AWS_PROFILE, …) or of the machine. CAIRN_S3_ACCESS_KEY_ID_FILE sets a file that contains it.',
    fallback: '',
    read: optional(text),
  },
  CAIRN_S3_SECRET_ACCESS_KEY: {
    about: 'Secret of the access key. CAIRN_S3_SECRET_ACCESS_KEY_FILE sets a file that contains it.',
    fallback: '',
    read: optional(text),
  },
  CAIRN_S3_ENCRYPTION: {
    about: 'Encryption of packs on S3: AES256 or aws:kms. When empty, the default of the bucket.',
    fallback: '',
    read: optional(oneOf(['AES256', 'aws:kms'])),
  },
  CAIRN_S3_KMS_KEY_ID: {
    about: 'Key for aws:kms. When empty, the S3 key of the account.',
    fallback: '',
    read: optional(text),
  },
  CAIRN_S3_STORAGE_CLASS: {
    about: `Storage class of packs: ${s3StorageClasses.join(', ')}. When empty, the default of the store.`,
    fallback: '',
    read: optional(oneOf(s3StorageClasses)),
  },
  CAIRN_S3_CACHE_BYTES: {
    about: 'Maximum size of the cache of packs on the local disk, in pieces of 256 KiB. 0 disables it.',
    fallback: '0',
    read: whole(0, 1024 * 1024 * GIB),
  },
  CAIRN_S3_CACHE_FOLDER: {
    about: 'Folder of the cache. Defaults to s3-cache in CAIRN_HOME.',
    fallback: '',
    read: optional(text),
  },
  ...backupSettings,
  CAIRN_S3_API_PORT: {
    about: 'Port of the S3 API (docs/how-to/s3.md). When empty, the S3 API is off.',
    fallback: '',
    read: optional(whole(0, 65_535)),
  },
  CAIRN_S3_API_REGION: { about: 'Region in the signatures of S3 API requests.', fallback: 'us-east-1', read: s3Region },
  CAIRN_S3_API_HOSTS: {
    about: 'Comma-separated host names at which the S3 API serves buckets as subdomains ({bucket}.{host}).',
    fallback: 'localhost',
    read: list,
  },
  CAIRN_PUBLIC_S3_API_URL: { about: 'Public URL of the S3 API.', fallback: '', read: optional(url) },
  CAIRN_SHARED_MESSAGES: {
    about:
      'on lets a message without a purpose authorise an API key or one upload, which published clients require. off lets it authorise one upload only.',
    fallback: 'on',
    read: (value: string) => oneOf(['on', 'off'])(value) === 'on',
  },
  CAIRN_FREE_BYTES: {
    about: 'Free storage of each new account, in bytes. 0 disables it.',
    fallback: String(5 * GIB),
    read: whole(0, Number.MAX_SAFE_INTEGER),
  },
  CAIRN_FREE_TOTAL_BYTES: {
    about:
      'Free storage of all accounts together, in bytes. 0 accepts new bytes only from paying accounts. When empty, no limit.',
    fallback: String(1024 * GIB),
    read: optional(whole(0, Number.MAX_SAFE_INTEGER)),
  },
  CAIRN_FREE_DISK_RESERVE: {
    about:
      'Disk space of the packs reserved for paid storage, as a percentage of the disk (10%) or in bytes. 0 reserves nothing. Has no effect on S3.',
    fallback: '10%',
    read: diskReserve,
  },
  CAIRN_FREE_ACCOUNTS_PER_DAY: {
    about: 'Maximum new accounts with free storage per IP address (IPv6: per /64) and UTC day. When empty, no limit.',
    fallback: '20',
    read: optional(whole(0, 1_000_000_000)),
  },
  CAIRN_CONSOLE_FOLDER: {
    about: 'Folder of the built web console (apps/console/dist). When empty, no console is served.',
    fallback: '',
    read: optional(text),
  },
  CAIRN_PASSKEY_DOMAIN: {
    about:
      'Domain of passkeys: the host of the web console or a parent of it. Users sign in to the console with passkeys instead of wallets; another domain later means other accounts. When empty, the console offers no passkeys.',
    fallback: '',
    read: optional(passkeyDomain),
  },
  CAIRN_WALLETCONNECT_PROJECT_ID: {
    about:
      'WalletConnect project ID (32 hex characters), which lets the web console use wallets on other devices. When empty, the console does not contact WalletConnect.',
    fallback: '',
    read: optional(projectId),
  },
  CAIRN_WALLETCONNECT_RELAY_URL: {
    about: 'WalletConnect relay of the web console. Used only with a project ID.',
    fallback: 'wss://relay.walletconnect.org',
    read: relayUrl,
  },
  CAIRN_PIN_GATEWAYS: {
    about: 'Comma-separated base URLs of the trustless gateways that pins are fetched from.',
    fallback: '',
    read: (value: string) => list(value).map(url),
  },
  CAIRN_PIN_PRIVATE_ORIGINS: {
    about:
      'on allows pin origins with private addresses (10.0.0.1, localhost), as on a local network. off allows only public addresses.',
    fallback: 'off',
    read: (value: string) => oneOf(['on', 'off'])(value) === 'on',
  },
  CAIRN_MAX_OPEN_PINS: {
    about: 'Maximum number of unfinished pins of the Pinning Service API per account.',
    fallback: '1000',
    read: whole(0, 1_000_000),
  },
  CAIRN_EVENT_DAYS: {
    about: 'How long events of accounts are stored, in days.',
    fallback: '30',
    read: (value: string) => whole(1, 3660)(value) * 24 * 3_600_000,
  },
  CAIRN_MAX_EVENTS_PER_ACCOUNT: {
    about: 'Maximum number of stored events per account. Older events are deleted.',
    fallback: '10000',
    read: whole(100, 10_000_000),
  },
  CAIRN_MAX_EVENT_STREAMS_PER_ACCOUNT: {
    about: 'Maximum number of open event streams per account and process.',
    fallback: '10',
    read: whole(1, 10_000),
  },
  CAIRN_MAX_EVENT_STREAMS: {
    about: 'Maximum number of open event streams per process.',
    fallback: '1000',
    read: whole(1, 100_000),
  },
  CAIRN_MAX_WEBHOOKS_PER_ACCOUNT: {
    about: 'Maximum number of webhooks per account. 0 disables webhooks.',
    fallback: '10',
    read: whole(0, 1000),
  },
  CAIRN_WEBHOOK_PRIVATE_ADDRESSES: {
    about:
      'on allows webhooks with http URLs and private addresses (10.0.0.1, localhost), as on a local network. off allows only https and public addresses.',
    fallback: 'off',
    read: (value: string) => oneOf(['on', 'off'])(value) === 'on',
  },
  CAIRN_WEBHOOK_FAILURE_DAYS: {
    about: 'Days without a successful delivery after which a failing webhook is disabled.',
    fallback: '5',
    read: (value: string) => whole(1, 365)(value) * 24 * 3_600_000,
  },
  CAIRN_EVM_RPC_URL: {
    about:
      'EVM endpoint to verify signatures of contract wallets (EIP-1271). When empty, these signatures are rejected.',
    fallback: '',
    read: optional(url),
  },
  CAIRN_PAYMENTS: {
    about: 'JSON of the payment chains and the price feeds (docs/payments.md).',
    fallback: '',
    read: parsePaymentSettings,
  },
  CAIRN_FAUCET_KEY: {
    about: 'Private key that sends test coins on local networks. Never set it on a chain whose coins have value.',
    fallback: '',
    read: optional(text),
  },
  CAIRN_PROVIDERS: {
    about: 'JSON list of the storage providers (docs/proofs.md).',
    fallback: '',
    read: parseProviders,
  },
  CAIRN_DEALS: {
    about: 'JSON of the deal settings: copies, delays and challenge periods (docs/proofs.md).',
    fallback: '',
    read: parseDealSettings,
  },
  CAIRN_STORAGE_SECRET: {
    about:
      'Secret that seals name keys, 64 hex characters. When empty, the secret in storage.key in CAIRN_HOME, created at the first start. Replicas of one database must use the same secret. CAIRN_STORAGE_SECRET_FILE sets a file that contains it.',
    fallback: '',
    read: optional(storageSecret),
  },
  CAIRN_STORAGE_SECRET_SECONDARY: {
    about:
      'Second secret that is also accepted during a rotation of CAIRN_STORAGE_SECRET (docs/operate/upgrade.md). New seals use CAIRN_STORAGE_SECRET.',
    fallback: '',
    read: optional(storageSecret),
  },
  CAIRN_DNSLINK_RESOLVERS: {
    about:
      'Comma-separated addresses of DNS servers (1.1.1.1 or [::1]:5353) for DNSLink lookups of the gateway, including those of request hosts. When empty, the gateway serves no DNS names.',
    fallback: '',
    read: (value: string) => list(value).map(dnsServer),
  },
  CAIRN_DENYLIST_FILES: {
    about:
      'Comma-separated denylists in the compact format of IPFS (docs/operate/moderate.md): files, or folders with *.deny files. The service reads them again when they change.',
    fallback: '',
    read: (value: string) => list(value).map((path) => resolve(path)),
  },
  CAIRN_DENYLIST_URLS: {
    about: 'Comma-separated URLs of denylists. Rules of CAIRN_DENYLIST_FILES take precedence.',
    fallback: '',
    read: (value: string) => list(value).map(url),
  },
  CAIRN_DENYLIST_REFRESH_SECONDS: {
    about: 'Interval at which the lists of CAIRN_DENYLIST_URLS are fetched.',
    fallback: '3600',
    read: (value: string) => whole(10, 7 * 24 * 3600)(value) * 1000,
  },
  CAIRN_REPORT_ADDRESS: {
    about:
      'Email address or URL for reports of content and objections to a block. Responses for denied content contain it.',
    fallback: '',
    read: optional(reportAddress),
  },
  CAIRN_IPNI_INDEXERS: {
    about:
      'Comma-separated URLs of indexers (IPNI) that content is announced to (docs/how-to/ipfs-network.md). Requires public URLs of the API and the gateway without a path. When empty, nothing is announced.',
    fallback: '',
    read: (value: string) => list(value).map(url),
  },
  CAIRN_IPNI_DEFAULT: {
    about:
      'on announces unencrypted uploads whose uploader did not choose. off announces only uploads that request it.',
    fallback: 'on',
    read: (value: string) => oneOf(['on', 'off'])(value) === 'on',
  },
  CAIRN_KUBO_RPC_URL: {
    about:
      'Base URL of the RPC API of your Kubo, or of the proxy of your IPFS Cluster, that announced content is handed to and pinned at (docs/how-to/ipfs-network.md). When empty, nothing is handed over.',
    fallback: '',
    read: optional(url),
  },
  CAIRN_KUBO_RPC_AUTHORIZATION: {
    about: 'Value of the header Authorization of these calls, such as Bearer … or Basic ….',
    fallback: '',
    read: optional(text),
  },
  CAIRN_SCRUB_BYTES_PER_SECOND: {
    about: 'Rate at which packs are verified in the background. 0 disables it.',
    fallback: String(8 * MIB),
    read: whole(0, 1024 * MIB),
  },
  ...mergeSettings,
  CAIRN_PACK_GRACE_SECONDS: {
    about: 'How long a pack is kept after its last upload is deleted.',
    fallback: String(24 * 3600),
    read: (value: string) => whole(0, 366 * 24 * 3600)(value) * 1000,
  },
  CAIRN_UPLOAD_LIFE_SECONDS: {
    about: 'How long a resumable upload waits for its next bytes before it is canceled.',
    fallback: String(7 * 24 * 3600),
    read: (value: string) => whole(60, 366 * 24 * 3600)(value) * 1000,
  },
  CAIRN_OPEN_UPLOADS: {
    about: 'Maximum unfinished resumable uploads per account.',
    fallback: '100',
    read: whole(0, 100_000),
  },
  CAIRN_PART_MEMORY_BYTES: {
    about:
      'Memory for the names and parts of all uploads in progress, in bytes. One upload can use half of it. When empty, half of the heap limit of Node.',
    fallback: '',
    read: optional(whole(MIB, Number.MAX_SAFE_INTEGER)),
  },
  CAIRN_UPLOAD_RATE_WINDOW_SECONDS: {
    about: `Averaging period of the minimum upload rate. Uploads below ${minUploadBytesPerSecond.toLocaleString('en')} bytes per second are canceled.`,
    fallback: String(minSpeedWindowMs / 1000),
    read: (value: string) => whole(1, 3600)(value) * 1000,
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
  ...listenerSettings,
} as const satisfies Record<string, Setting<unknown>>

/**
 * Parses the settings of an environment.
 * @throws CairnError INVALID_CONFIGURATION naming every invalid setting, and every unknown CAIRN_ name.
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
    objectCache:
      values.CAIRN_S3_CACHE_BYTES === 0
        ? undefined
        : { folder: values.CAIRN_S3_CACHE_FOLDER ?? join(home, 's3-cache'), maxBytes: values.CAIRN_S3_CACHE_BYTES },
    backup: readBackupSettings(values),
    s3Api:
      values.CAIRN_S3_API_PORT === undefined
        ? undefined
        : {
            port: values.CAIRN_S3_API_PORT,
            publicUrl: values.CAIRN_PUBLIC_S3_API_URL,
            region: values.CAIRN_S3_API_REGION,
            hosts: values.CAIRN_S3_API_HOSTS.map((name) => name.toLowerCase()),
          },
    sharedMessages: values.CAIRN_SHARED_MESSAGES,
    freeBytes: values.CAIRN_FREE_BYTES,
    freeTotalBytes: values.CAIRN_FREE_TOTAL_BYTES,
    freeDiskReserve: values.CAIRN_FREE_DISK_RESERVE,
    freeAccountsPerDay: values.CAIRN_FREE_ACCOUNTS_PER_DAY,
    consoleFolder: values.CAIRN_CONSOLE_FOLDER,
    passkeyDomain: values.CAIRN_PASSKEY_DOMAIN,
    walletConnectProjectId: values.CAIRN_WALLETCONNECT_PROJECT_ID,
    walletConnectRelayUrl: values.CAIRN_WALLETCONNECT_RELAY_URL,
    pinGateways: values.CAIRN_PIN_GATEWAYS,
    allowsPrivateOrigins: values.CAIRN_PIN_PRIVATE_ORIGINS,
    maxOpenPins: values.CAIRN_MAX_OPEN_PINS,
    eventLifetimeMs: values.CAIRN_EVENT_DAYS,
    maxEventsPerAccount: values.CAIRN_MAX_EVENTS_PER_ACCOUNT,
    maxEventStreamsPerAccount: values.CAIRN_MAX_EVENT_STREAMS_PER_ACCOUNT,
    maxEventStreams: values.CAIRN_MAX_EVENT_STREAMS,
    maxWebhooksPerAccount: values.CAIRN_MAX_WEBHOOKS_PER_ACCOUNT,
    allowsPrivateWebhooks: values.CAIRN_WEBHOOK_PRIVATE_ADDRESSES,
    webhookFailureMs: values.CAIRN_WEBHOOK_FAILURE_DAYS,
    evmRpcUrl: values.CAIRN_EVM_RPC_URL,
    payments: values.CAIRN_PAYMENTS,
    faucetKey: values.CAIRN_FAUCET_KEY,
    providers: values.CAIRN_PROVIDERS,
    deals: values.CAIRN_DEALS,
    secret: values.CAIRN_STORAGE_SECRET,
    secondarySecret: values.CAIRN_STORAGE_SECRET_SECONDARY,
    dnslinkResolvers: values.CAIRN_DNSLINK_RESOLVERS,
    denylistFiles: values.CAIRN_DENYLIST_FILES,
    denylistUrls: values.CAIRN_DENYLIST_URLS,
    denylistRefreshMs: values.CAIRN_DENYLIST_REFRESH_SECONDS,
    reportAddress: values.CAIRN_REPORT_ADDRESS,
    kubo:
      values.CAIRN_KUBO_RPC_URL === undefined
        ? undefined
        : { url: values.CAIRN_KUBO_RPC_URL, authorization: values.CAIRN_KUBO_RPC_AUTHORIZATION },
    ipni: { indexers: values.CAIRN_IPNI_INDEXERS, announcesByDefault: values.CAIRN_IPNI_DEFAULT },
    scrubBytesPerSecond: values.CAIRN_SCRUB_BYTES_PER_SECOND,
    packGraceMs: values.CAIRN_PACK_GRACE_SECONDS,
    merging: readMergeSettings(values, values.CAIRN_PROVIDERS.length === 0 ? undefined : values.CAIRN_DEALS.waitMs),
    uploadLifeMs: values.CAIRN_UPLOAD_LIFE_SECONDS,
    maxOpenUploads: values.CAIRN_OPEN_UPLOADS,
    partMemoryBytes: values.CAIRN_PART_MEMORY_BYTES,
    uploadRateWindowMs: values.CAIRN_UPLOAD_RATE_WINDOW_SECONDS,
    pictures: { processes: values.CAIRN_PICTURE_PROCESSES, cacheBytes: values.CAIRN_PICTURE_CACHE_BYTES },
  })
}
