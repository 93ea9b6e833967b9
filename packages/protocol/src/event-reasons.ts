import { createReasons, type WordReason } from './reason.ts'

/** Why a pin failed or a webhook was disabled, beside the codes of errors. */
export const eventReasons = {
  PIN_WITHOUT_SOURCE: 'The content is not stored here, no origin is an HTTP gateway, and the operator configured none',
  RECEIVER_STATUS: 'The receiver responded with status {status}',
  RECEIVER_REDIRECTS: 'The receiver responded with status {status}, redirects are not followed',
  RECEIVER_GONE: 'The receiver responded with status {status} (Gone)',
  RECEIVER_SLOW: 'The receiver did not respond within {seconds} seconds',
  RECEIVER_UNREACHABLE: 'The receiver could not be reached',
  RECEIVER_NETWORK_ERROR: 'The receiver could not be reached ({error})',
} as const

/** Words a sentence of {@link eventReasons}. */
export const eventReason: WordReason<typeof eventReasons> = /* @__PURE__ */ createReasons(eventReasons)
