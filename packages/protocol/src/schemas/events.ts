import * as v from 'valibot'
import type { Scope } from '../call.ts'

/**
 * Types of events, and the data of each. Data is flat, so that programs in any language can read it.
 *
 * `deal.*` and `proof.*` are about the aggregate that contains content of the account.
 */
export type EventData = {
  'upload.stored': {
    uploadId: string
    cid: string
    name: string
    sizeBytes: number
    isEncrypted: boolean
    isPrivate: boolean
  }
  'upload.deleted': { uploadId: string; cid: string; name: string; sizeBytes: number }
  'pin.pinned': { pinId: string; cid: string; uploadId: string | null }
  'pin.failed': PinFailureData & { pinId: string; cid: string; reason: string | null }
  'payment.credited': { paymentId: string; network: string; txHash: string; bytes: number }
  'name.published': { name: string; value: string; sequence: string }
  'deal.active': DealEventData
  'deal.lost': DealEventData & { reason: string | null }
  'proof.missed': DealEventData & { reason: string | null }
  'proof.resumed': DealEventData
  'api_key.created': { keyId: string; name: string; scopes: string; expiresAt: number | null }
  'api_key.revoked': { keyId: string; name: string }
  's3_key.created': { accessKeyId: string; keyId: string }
  'link.created': { linkId: string; cid: string; expiresAt: number; maxOpens: number }
  'link.opened': { linkId: string; cid: string; opens: number }
  'link.revoked': { linkId: string; cid: string }
  'upload_link.created': { linkId: string; expiresAt: number; maxUploads: number; maxTotalBytes: number }
  'upload_link.used': { linkId: string; cid: string; sizeBytes: number; uploads: number }
  'upload_link.revoked': { linkId: string }
  'webhook.created': { webhookId: string; host: string }
  'webhook.removed': { webhookId: string; host: string }
  'webhook.disabled': WebhookFailureData & { webhookId: string; host: string; reason: string }
}

/** Code and values of the reason of a failed pin. The code is an error code or one of `eventReasons`. */
type PinFailureData = { reasonCode: string; host?: string; sources?: number }

/** Code and values of the reason of a disabled webhook. The code is an error code or one of `eventReasons`. */
type WebhookFailureData = {
  reasonCode: string
  /** Time in RFC 3339 since which no delivery succeeded. */
  failingSince?: string
  status?: number
  seconds?: number
  error?: string
}

type DealEventData = { dealNumber: number; provider: string; aggregateCid: string }

export type EventType = keyof EventData

/** The scope that a caller needs to see each type of event. */
export const eventScopes = {
  'upload.stored': 'files:read',
  'upload.deleted': 'files:read',
  'pin.pinned': 'files:read',
  'pin.failed': 'files:read',
  'payment.credited': 'files:read',
  'name.published': 'files:read',
  'deal.active': 'files:read',
  'deal.lost': 'files:read',
  'proof.missed': 'files:read',
  'proof.resumed': 'files:read',
  'api_key.created': 'account',
  'api_key.revoked': 'account',
  's3_key.created': 'account',
  'link.created': 'files:read',
  'link.opened': 'files:read',
  'link.revoked': 'files:read',
  'upload_link.created': 'files:read',
  'upload_link.used': 'files:read',
  'upload_link.revoked': 'files:read',
  'webhook.created': 'account',
  'webhook.removed': 'account',
  'webhook.disabled': 'account',
} as const satisfies Record<EventType, Scope>

const isEventType = (name: string): name is EventType => Object.hasOwn(eventScopes, name)

/** All types of events. */
export const eventTypes: readonly EventType[] = Object.keys(eventScopes).filter(isEventType)

/** An event that happened in an account. */
export const accountEventSchema = v.object({
  /** Unique, and equal each time that the event is read or delivered. */
  id: v.string(),
  /** Position in the log of the account: each event has the next number. */
  cursor: v.pipe(v.string(), v.regex(/^\d{1,16}$/)),
  /** One of {@link eventTypes}, or a type of a newer service. */
  type: v.string(),
  /** Time in RFC 3339. */
  timestamp: v.string(),
  data: v.record(v.string(), v.nullable(v.union([v.string(), v.number(), v.boolean()]))),
})
/** An event that happened in an account. */
export type AccountEvent = v.InferOutput<typeof accountEventSchema>

/**
 * Name of the server-sent event that moves the cursor of a client without an event for it: `data` is `{"cursor": string}`. The
 * first message of each stream is one.
 */
export const cursorEventName = 'cursor'
/** Name of the server-sent event that reports a gap: `data` is `{"missedEvents": number}`. */
export const gapEventName = 'gap'
/** Name of the server-sent event before the service closes a stream: `data` is an error body. */
export const endEventName = 'end'
/** Interval of comments on an idle stream, in ms. */
export const eventHeartbeatMs = 15_000
