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
  /** Bearer of the calls that change something. */
  readonly accessKey: string
  /** URLs that pieces may be fetched from below. */
  readonly sources: readonly string[]
  readonly capacityBytes: number
  /** Largest payload of a piece. */
  readonly payloadBytesMost: number
  readonly pullsAtOnce: number
  /** A source that sends less, averaged over a minute, is left and asked again. */
  readonly slowestPullBytesPerSecond: number
  readonly scrubBytesPerSecond: number
}

/** Every setting of a storage provider. `docs/configuration.md` is printed from this record. */
export const providerSettings = {
  CAIRN_PROVIDER_NAME: { about: 'Name of the provider, for people.', fallback: 'provider', read: name },
  CAIRN_PROVIDER_HOME: {
    about: 'Folder of the provider’s pieces and database.',
    fallback: '.cairn-provider',
    read: (value: string) => resolve(value),
  },
  CAIRN_PROVIDER_HOST: { about: 'Address the provider binds to.', fallback: '127.0.0.1', read: text },
  CAIRN_PROVIDER_PORT: { about: 'Port of the provider.', fallback: '8090', read: whole(0, 65_535) },
  CAIRN_PROVIDER_PUBLIC_URL: { about: 'URL of the provider as users see it.', fallback: '', read: optional(url) },
  CAIRN_PROVIDER_SECRET: {
    about:
      'Secret of the provider: 64 hex characters, made by `openssl rand -hex 32`. Its id and the signatures on its proofs come from it.',
    fallback: '',
    read: secret,
  },
  CAIRN_PROVIDER_KEY: {
    about: 'Key that offers, lists and removes pieces, 32 to 256 characters: `openssl rand -hex 32` makes one.',
    fallback: '',
    read: accessKey,
  },
  CAIRN_PROVIDER_SOURCES: {
    about: 'URLs that pieces may be fetched from below, separated by commas. Nothing else is ever asked.',
    fallback: '',
    read: (value: string) => list(value).map(source),
  },
  CAIRN_PROVIDER_CAPACITY_BYTES: {
    about: 'Bytes of pieces it takes, without the zeros that fill them up.',
    fallback: String(100 * GIB),
    read: whole(0, Number.MAX_SAFE_INTEGER),
  },
  CAIRN_PROVIDER_PAYLOAD_BYTES_MOST: {
    about: 'Largest payload of one piece; the default fills 64 padded GiB, the largest there can be.',
    fallback: String((64 * GIB * 127) / 128),
    read: whole(1, 64 * GIB),
  },
  CAIRN_PROVIDER_PULLS: { about: 'Pieces that are fetched at once.', fallback: '2', read: whole(1, 64) },
  CAIRN_PROVIDER_SLOWEST_PULL_BYTES_PER_SECOND: {
    about: 'A source that sends less, averaged over a minute, is left and asked again later.',
    fallback: '1024',
    read: whole(1, 1024 * MIB),
  },
  CAIRN_PROVIDER_SCRUB_BYTES_PER_SECOND: {
    about: 'Rate at which pieces are re-read and checked in the background; 0 turns it off.',
    fallback: String(8 * MIB),
    read: whole(0, 1024 * MIB),
  },
  ...listenerSettings,
} as const satisfies Record<string, Setting<unknown>>

function name(value: string): string {
  if (!/^[\p{L}\p{N} ._-]{1,64}$/u.test(value)) throw new Error('must be 1 to 64 letters, digits, blanks or ._-')
  return value
}

function secret(value: string): Uint8Array {
  // The text itself stays out of the message.
  if (!/^[0-9a-fA-F]{64}$/.test(value)) throw new Error(`must be ${2 * providerSecretBytes} hex characters`)
  return new Uint8Array(Buffer.from(value, 'hex'))
}

function accessKey(value: string): string {
  if (!/^[\x21-\x7e]{32,256}$/.test(value)) throw new Error('must be 32 to 256 characters without blanks')
  return value
}

function source(value: string): string {
  const parsed = new URL(url(value))
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '' || parsed.hash !== '')
    throw new Error('must be URLs without user, query and fragment')
  return url(value)
}

/**
 * Reads the settings of a storage provider out of an environment.
 * @throws CairnError INVALID_CONFIGURATION naming every setting that is wrong
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
    payloadBytesMost: values.CAIRN_PROVIDER_PAYLOAD_BYTES_MOST,
    pullsAtOnce: values.CAIRN_PROVIDER_PULLS,
    slowestPullBytesPerSecond: values.CAIRN_PROVIDER_SLOWEST_PULL_BYTES_PER_SECOND,
    scrubBytesPerSecond: values.CAIRN_PROVIDER_SCRUB_BYTES_PER_SECOND,
  })
}

/** Where a provider keeps its rows. */
export function databasePath({ home }: ProviderConfig): string {
  return join(home, 'provider.sqlite')
}
