import * as v from 'valibot'
import type { ErrorCode } from '../errors.ts'
import { keyEnd, keyScopes } from '../key-grant.ts'
import { labelText } from '../label-text.ts'
import { maxKeyNameCharacters } from '../limits.ts'

/** What each call that makes an API key takes beside the signature. */
export const newKeyFields = {
  /** Name shown in lists; `default` where it is absent. */
  keyName: v.optional(labelText(maxKeyNameCharacters)),
  /** The scopes that were signed; others are refused. */
  scopes: v.optional(keyScopes),
  /** The end that was signed, ms since 1970, null for never; another is refused. */
  expiresAt: v.optional(v.nullable(keyEnd)),
}

/** Errors of each call that makes an API key. */
export const newKeyErrors = [
  'INVALID_ADDRESS',
  'INVALID_LABEL',
  'INVALID_SIGNATURE',
  'CHALLENGE_EXPIRED',
  'SIGNED_FOR_ANOTHER_USE',
  'CHAIN_NOT_CONFIGURED',
  'UPSTREAM_FAILED',
] as const satisfies readonly ErrorCode[]
