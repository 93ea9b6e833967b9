import { days, onOff, type SettingValues, whole } from '@cairn/service'

/** Settings: events of accounts, and webhooks. */
export const eventSettings = {
  CAIRN_EVENT_DAYS: {
    about: 'How long events of accounts are stored, in days.',
    fallback: '30',
    read: days(1, 3660),
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
    read: onOff,
  },
  CAIRN_WEBHOOK_FAILURE_DAYS: {
    about: 'Days without a successful delivery after which a failed delivery disables the webhook.',
    fallback: '5',
    read: days(1, 365),
  },
}

/** Events of accounts, and webhooks. */
export type EventConfig = {
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
}

export function readEventConfig(values: SettingValues<typeof eventSettings>): EventConfig {
  return {
    eventLifetimeMs: values.CAIRN_EVENT_DAYS,
    maxEventsPerAccount: values.CAIRN_MAX_EVENTS_PER_ACCOUNT,
    maxEventStreamsPerAccount: values.CAIRN_MAX_EVENT_STREAMS_PER_ACCOUNT,
    maxEventStreams: values.CAIRN_MAX_EVENT_STREAMS,
    maxWebhooksPerAccount: values.CAIRN_MAX_WEBHOOKS_PER_ACCOUNT,
    allowsPrivateWebhooks: values.CAIRN_WEBHOOK_PRIVATE_ADDRESSES,
    webhookFailureMs: values.CAIRN_WEBHOOK_FAILURE_DAYS,
  }
}
