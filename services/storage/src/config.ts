import { isPrivateKey, MIB } from '@cairn/protocol'
import {
  type ListenerConfig,
  listenerSettings,
  optional,
  readListenerConfig,
  readSettings,
  type Setting,
  type SettingValues,
  seconds,
  whole,
} from '@cairn/service'
import { type BackupSettings, backupSettings, readBackupSettings } from '@cairn/service/backup'
import { type AccountConfig, accountSettings, readAccountConfig } from './settings/account-settings.ts'
import {
  type AnnouncementConfig,
  announcementSettings,
  readAnnouncementConfig,
} from './settings/announcement-settings.ts'
import { type ConsoleConfig, consoleSettings, readConsoleConfig } from './settings/console-settings.ts'
import {
  type DealSettings,
  type ProviderSettings,
  parseDealSettings,
  parseProviders,
} from './settings/deal-settings.ts'
import { type EventConfig, eventSettings, readEventConfig } from './settings/event-settings.ts'
import { type GatewayConfig, gatewaySettings, readGatewayConfig } from './settings/gateway-settings.ts'
import { type MergeSettings, mergeSettings, readMergeSettings } from './settings/merge-settings.ts'
import { type ModerationConfig, moderationSettings, readModerationConfig } from './settings/moderation-settings.ts'
import { type NetworkConfig, networkSettings, readNetworkConfig } from './settings/network-settings.ts'
import { type PaymentSettings, parsePaymentSettings } from './settings/payment-settings.ts'
import { type PinConfig, pinSettings, readPinConfig } from './settings/pin-settings.ts'
import { readS3ApiConfig, type S3ApiConfig, s3ApiSettings } from './settings/s3-api-settings.ts'
import { readSecretConfig, type SecretConfig, secretSettings } from './settings/secret-settings.ts'
import { readStoreConfig, type StoreConfig, storeSettings } from './settings/store-settings.ts'
import { readUploadConfig, type UploadConfig, uploadSettings } from './settings/upload-settings.ts'

/** The settings of the storage service, parsed. */
export type StorageConfig = ListenerConfig &
  NetworkConfig &
  StoreConfig &
  S3ApiConfig &
  AccountConfig &
  ConsoleConfig &
  PinConfig &
  EventConfig &
  SecretConfig &
  ModerationConfig &
  AnnouncementConfig &
  UploadConfig &
  GatewayConfig & {
    /** Who can open backups, and how to reach s3:// destinations. */
    readonly backup: BackupSettings
    /** Chains on which payments are accepted, and price sources. */
    readonly payments: PaymentSettings
    /** Key that owns the test tokens of a local network; undefined on others. */
    readonly faucetKey: string | undefined
    /** Storage providers that receive aggregates. */
    readonly providers: readonly ProviderSettings[]
    readonly deals: DealSettings
    readonly scrubBytesPerSecond: number
    readonly packGraceMs: number
    /** How small packs are merged; undefined when they are not. */
    readonly merging: MergeSettings | undefined
  }

/** Parses a private key. The text itself stays out of the message. */
function privateKey(value: string): string {
  if (!isPrivateKey(value)) throw new Error('must be a private key of 64 hex characters, with or without 0x')
  return value
}

/** All settings. `docs/configuration.md` is generated from this record. */
export const settings = {
  ...networkSettings,
  ...storeSettings,
  ...backupSettings,
  ...s3ApiSettings,
  ...accountSettings,
  ...consoleSettings,
  ...pinSettings,
  ...eventSettings,
  CAIRN_PAYMENTS: {
    about: 'JSON of the payment chains and the price feeds (docs/payments.md).',
    fallback: '',
    read: parsePaymentSettings,
  },
  CAIRN_FAUCET_KEY: {
    about: 'Private key that sends test coins on local networks. Never set it on a chain whose coins have value.',
    fallback: '',
    read: optional(privateKey),
  },
  CAIRN_PROVIDERS: {
    about: 'JSON list of the storage providers (docs/proofs.md).',
    fallback: '',
    read: parseProviders,
  },
  CAIRN_DEALS: {
    about: 'JSON of the deal settings, such as copies, delays and challenge periods (docs/proofs.md).',
    fallback: '',
    read: parseDealSettings,
  },
  ...secretSettings,
  ...moderationSettings,
  ...announcementSettings,
  CAIRN_SCRUB_BYTES_PER_SECOND: {
    about: 'Rate at which packs are verified in the background. 0 disables it.',
    fallback: String(8 * MIB),
    read: whole(0, 1024 * MIB),
  },
  ...mergeSettings,
  CAIRN_PACK_GRACE_SECONDS: {
    about: 'How long a pack is kept after its last upload is deleted.',
    fallback: String(24 * 3600),
    read: seconds(0, 366 * 24 * 3600),
  },
  ...uploadSettings,
  ...gatewaySettings,
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
  const network = readNetworkConfig(values)
  return Object.freeze({
    ...readListenerConfig(values, network.port),
    ...network,
    ...readStoreConfig(values),
    ...readS3ApiConfig(values),
    ...readAccountConfig(values),
    ...readConsoleConfig(values),
    ...readPinConfig(values),
    ...readEventConfig(values),
    ...readSecretConfig(values),
    ...readModerationConfig(values),
    ...readAnnouncementConfig(values),
    ...readUploadConfig(values),
    ...readGatewayConfig(values),
    backup: readBackupSettings(values),
    payments: values.CAIRN_PAYMENTS,
    faucetKey: values.CAIRN_FAUCET_KEY,
    providers: values.CAIRN_PROVIDERS,
    deals: values.CAIRN_DEALS,
    scrubBytesPerSecond: values.CAIRN_SCRUB_BYTES_PER_SECOND,
    packGraceMs: values.CAIRN_PACK_GRACE_SECONDS,
    merging: readMergeSettings(values, values.CAIRN_PROVIDERS.length === 0 ? undefined : values.CAIRN_DEALS.waitMs),
  })
}
