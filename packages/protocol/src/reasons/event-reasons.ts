import { createReasons, type WordReason } from './reason.ts'

/** Why a pin failed or a webhook was disabled, besides the codes of errors. */
export const eventReasons = {
  PIN_WITHOUT_SOURCE: 'The content is not stored here, no origin is an HTTP gateway, and the operator configured none',
  PIN_SOURCE_EMPTY: '{host} does not have this content',
  PIN_SOURCE_FAILED: 'The gateway {host} did not deliver this content',
  PIN_SOURCES_FAILED: 'None of {sources} sources delivered this content',
  RECEIVER_STATUS: 'The receiver responded with status {status}',
  RECEIVER_REDIRECTS: 'The receiver responded with status {status}, redirects are not followed',
  RECEIVER_GONE: 'The receiver responded with status {status} (Gone)',
  RECEIVER_SLOW: 'The receiver did not respond within {seconds} seconds',
  RECEIVER_UNREACHABLE: 'The receiver could not be reached',
  RECEIVER_NETWORK_ERROR: 'The receiver could not be reached ({error})',
} as const

/** Words a sentence of {@link eventReasons}. */
export const eventReason: WordReason<typeof eventReasons> = /* @__PURE__ */ createReasons(eventReasons)
