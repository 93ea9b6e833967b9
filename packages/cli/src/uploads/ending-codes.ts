import { shortageErrors } from '@cairn/protocol'

/** Errors of the account after which no further item of an import can be stored. */
export const endingCodes: ReadonlySet<string> = new Set([
  ...shortageErrors,
  'UNAUTHENTICATED',
  'API_KEY_EXPIRED',
  'API_KEY_REVOKED',
  'ACCOUNT_BLOCKED',
  'NO_API_KEY',
  'NO_SESSION',
])
