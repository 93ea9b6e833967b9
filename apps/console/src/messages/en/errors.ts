import type { ErrorCode } from '@cairn/protocol'
import { translatable } from '../translatable.ts'

/**
 * What happened, without a full stop, and what to do. `other` stands before what an error says beyond the usual text of its code,
 * where the usual text would be wrong then.
 */
type ErrorText = { message?: string; hint: string; other?: string }

const signIn = 'Sign out and sign in again, or create a new API key.'
const objection = 'The operator says how to object.'

/**
 * Errors by code. In English, errors bring their texts along: these are the hints that differ in a console, because the usual
 * ones are for programs. A language may leave out codes that the console does not show.
 */
export const errors = translatable<Readonly<Partial<Record<ErrorCode, ErrorText>>>>('errors', {
  INVALID_REQUEST: { hint: 'Check what you entered and try again.' },
  PAYLOAD_TOO_LARGE: { hint: 'Send less data at once.' },
  UNSUPPORTED_MEDIA_TYPE: { hint: 'Choose a file of another type.' },
  UNAUTHENTICATED: { hint: signIn },
  FORBIDDEN: { hint: 'Use an API key with the required scope.' },
  NO_SESSION: { hint: 'Sign in with the wallet of your address.' },
  NO_API_KEY: { hint: 'Sign in and try again.' },
  NO_WALLET: { hint: 'Connect a wallet and try again.' },
  NO_NETWORK: { hint: 'Reload the page.' },
  KEY_RETIRED: { hint: 'Open the newer version, if there is one.' },
  CHAIN_NOT_SUPPORTED: { hint: 'Choose another chain.' },
  SHARDS_INCONSISTENT: { hint: 'Try again. Access shows the state of each key node.' },
  CHANGE_INCOMPLETE: { hint: 'Repeat the change to complete it.' },
  NO_KEY_NODES: { hint: 'Upload without encryption, or use another network.' },
  NAME_KEY_WITH_OWNER: { hint: 'Publish in the browser or program that has the name key.' },
  CONTENT_DENIED: { hint: objection },
  CONTENT_DENIED_BY_LAW: { hint: objection },
  METHOD_NOT_ALLOWED: { hint: 'Reload the page.' },
  UPLOAD_OFFSET: { hint: 'Continue the upload.' },
  FILE_EXISTS: { hint: 'Choose another name.' },
  GONE: { hint: 'Reload the page.' },
  FREE_ACCOUNTS_EXHAUSTED: { hint: 'Buy storage, or sign in again tomorrow.' },
  UNSUPPORTED_NETWORK: { hint: 'Choose another chain.' },
  TOKEN_NOT_SUPPORTED: { hint: 'Choose another coin.' },
  RATE_LIMITED: { hint: 'Wait a moment and try again.' },
  NOT_SUPPORTED: { hint: 'Ask the operator of this service.' },
  TIMEOUT: { hint: 'Try again.' },
  HTTP_ERROR: { hint: 'Try again later.' },
  FILE_TOO_LARGE: { hint: 'Use the command line.' },
  PICTURES_UNAVAILABLE: { hint: 'Open the original.' },
})
