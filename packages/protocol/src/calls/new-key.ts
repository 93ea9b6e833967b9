import * as v from 'valibot'
import type { ErrorCode } from '../errors/error-table.ts'
import { maxKeyNameCharacters } from '../limits.ts'
import { keyEnd, keyScopes } from '../schemas/key-grant.ts'
import { labelText } from '../schemas/label-text.ts'

/** Fields of each call that creates an API key, in addition to the signature. */
export const newKeyFields = {
  /** Name shown in lists. Defaults to `default`. */
  keyName: v.optional(labelText(maxKeyNameCharacters)),
  /** The signed scopes; others are rejected. */
  scopes: v.optional(keyScopes),
  /** The signed expiry in ms since 1970, null for no expiry; any other is rejected. */
  expiresAt: v.optional(v.nullable(keyEnd)),
}

/** Error codes of a wallet's signature: for an API key, or for one upload, for which it stands in for a key. */
export const signatureErrors = [
  'INVALID_SIGNATURE',
  'CHALLENGE_EXPIRED',
  'SIGNED_FOR_ANOTHER_USE',
  'CHAIN_NOT_CONFIGURED',
  'UPSTREAM_FAILED',
] as const satisfies readonly ErrorCode[]

/** Error codes of each call that creates an API key. */
export const newKeyErrors = [
  'ACCOUNT_BLOCKED',
  'INVALID_ADDRESS',
  'INVALID_LABEL',
  ...signatureErrors,
] as const satisfies readonly ErrorCode[]
