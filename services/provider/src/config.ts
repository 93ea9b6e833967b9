import { join, resolve } from 'node:path'
import { GIB, MIB } from '@cairn/protocol'
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
import { providerSecretBytes } from './identity.ts'

/** The settings of one storage provider, parsed. */
export type ProviderConfig = ListenerConfig & {
  readonly name: string
  readonly home: string
  readonly host: string
  readonly port: number
  readonly publicUrl: string | undefined
  /** Seed of all its keys. */
  readonly secret: Uint8Array
  /** Bearer token of the calls that change state. */
  readonly accessKey: string
  /** URL prefixes from which pieces may be fetched. */
  readonly sources: readonly string[]
  readonly capacityBytes: number
  /** Maximum payload of a piece, in bytes. */
  readonly maxPayloadBytes: number
  readonly pullsAtOnce: number
  /** Minimum rate of a source, averaged over a minute; a slower one is aborted and retried. */
  readonly minPullBytesPerSecond: number
  readonly scrubBytesPerSecond: number
}

/** All settings of a storage provider. `docs/configuration.md` is generated from this record. */
export const providerSettings = {
  CAIRN_PROVIDER_NAME: { about: 'Display name of the provider.', fallback: 'provider', read: name },
  CAIRN_PROVIDER_HOME: {
    about: 'Folder of the pieces and the database.',
    fallback: '.cairn-provider',
    read: (value: string) => resolve(value),
  },
  CAIRN_PROVIDER_HOST: { about: 'Address that the provider binds to.', fallback: '127.0.0.1', read: text },
  CAIRN_PROVIDER_PORT: { about: 'Port of the provider.', fallback: '8090', read: whole(0, 65_535) },
  CAIRN_PROVIDER_PUBLIC_URL: { about: 'Public URL of the provider.', fallback: '', read: optional(url) },
  CAIRN_PROVIDER_SECRET: {
    about:
      'Secret of the provider, 64 hex characters. Create it with `openssl rand -hex 32`. The id of the provider and the signatures of its proofs derive from it.',
    fallback: '',
    read: secret,
  },
  CAIRN_PROVIDER_KEY: {
    about: 'Key to offer, list and remove pieces, 32 to 256 characters. Create it with `openssl rand -hex 32`.',
    fallback: '',
    read: accessKey,
  },
  CAIRN_PROVIDER_SOURCES: {
    about: 'Comma-separated URL prefixes that pieces may be fetched from. The provider contacts no other URLs.',
    fallback: '',
    read: (value: string) => list(value).map(source),
  },
  CAIRN_PROVIDER_CAPACITY_BYTES: {
    about: 'Maximum bytes of stored pieces, without padding.',
    fallback: String(100 * GIB),
    read: whole(0, Number.MAX_SAFE_INTEGER),
  },
  CAIRN_PROVIDER_MAX_PAYLOAD_BYTES: {
    about: 'Maximum payload of a piece. The default corresponds to 64 GiB with padding, the largest possible piece.',
    fallback: String((64 * GIB * 127) / 128),
    read: whole(1, 64 * GIB),
  },
  CAIRN_PROVIDER_PULLS: { about: 'Number of pieces to fetch at the same time.', fallback: '2', read: whole(1, 64) },
  CAIRN_PROVIDER_SLOWEST_PULL_BYTES_PER_SECOND: {
    about: 'Minimum rate of a source, averaged over one minute. Slower fetches are stopped and retried later.',
    fallback: '1024',
    read: whole(1, 1024 * MIB),
  },
  CAIRN_PROVIDER_SCRUB_BYTES_PER_SECOND: {
    about: 'Rate at which pieces are verified in the background. 0 disables it.',
    fallback: String(8 * MIB),
    read: whole(0, 1024 * MIB),
  },
  ...listenerSettings,
} as const satisfies Record<string, Setting<unknown>>

function name(value: string): string {
  if (!/^[\p{L}\p{N} ._-]{1,64}$/u.test(value)) throw new Error('must be 1 to 64 letters, digits, spaces or ._-')
  return value
}

function secret(value: string): Uint8Array {
  // The message omits the value.
  if (!/^[0-9a-fA-F]{64}$/.test(value)) throw new Error(`must be ${2 * providerSecretBytes} hex characters`)
  return new Uint8Array(Buffer.from(value, 'hex'))
}

function accessKey(value: string): string {
  if (!/^[\x21-\x7e]{32,256}$/.test(value)) throw new Error('must be 32 to 256 characters without spaces')
  return value
}

function source(value: string): string {
  const parsed = new URL(url(value))
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '' || parsed.hash !== '')
    throw new Error('must be URLs without user name, query or fragment')
  return url(value)
}

/**
 * Parses the settings of a storage provider from an environment.
 * @throws CairnError INVALID_CONFIGURATION naming every invalid setting
 */
export function readProviderConfig(
  environment: Record<string, string | undefined> = process.env,
  foreign: ReadonlySet<string> = new Set(),
): ProviderConfig {
  const values = readSettings(providerSettings, environment, { foreign })
  return Object.freeze({
    ...readListenerConfig(values, values.CAIRN_PROVIDER_PORT),
    name: values.CAIRN_PROVIDER_NAME,
    home: values.CAIRN_PROVIDER_HOME,
    host: values.CAIRN_PROVIDER_HOST,
    port: values.CAIRN_PROVIDER_PORT,
    publicUrl: values.CAIRN_PROVIDER_PUBLIC_URL,
    secret: values.CAIRN_PROVIDER_SECRET,
    accessKey: values.CAIRN_PROVIDER_KEY,
    sources: values.CAIRN_PROVIDER_SOURCES,
    capacityBytes: values.CAIRN_PROVIDER_CAPACITY_BYTES,
    maxPayloadBytes: values.CAIRN_PROVIDER_MAX_PAYLOAD_BYTES,
    pullsAtOnce: values.CAIRN_PROVIDER_PULLS,
    minPullBytesPerSecond: values.CAIRN_PROVIDER_SLOWEST_PULL_BYTES_PER_SECOND,
    scrubBytesPerSecond: values.CAIRN_PROVIDER_SCRUB_BYTES_PER_SECOND,
  })
}

/** Path of a provider's database. */
export function databasePath({ home }: ProviderConfig): string {
  return join(home, 'provider.sqlite')
}
