import * as v from 'valibot'
import { type Scope, scopes } from '../call.ts'
import { defaultKeyLifetimeMs, latestTimeMs } from '../limits.ts'

/** Expiry of an API key, in ms since 1970. */
export const keyEnd = v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(latestTimeMs))
/** Scopes of an API key. */
export const keyScopes = v.pipe(v.array(v.picklist(scopes)), v.minLength(1))

/** Scopes and expiry of an API key: lines of the message that is signed for it. */
export type KeyGrant = {
  /** In the order of {@link scopes}. */
  scopes: readonly Scope[]
  /** In ms since 1970; null for no expiry. */
  expiresAt: number | null
}

/** Scopes of an API key by default: it reads and writes files. */
export const defaultScopes = ['files:read', 'files:write'] as const satisfies readonly Scope[]

/** Completes a grant. `scopes` defaults to {@link defaultScopes}, `expiresAt` to 90 days from now. */
export function makeKeyGrant(
  asked: { scopes?: readonly Scope[] | undefined; expiresAt?: number | null | undefined },
  now: number,
): KeyGrant {
  const wanted: readonly Scope[] = asked.scopes ?? defaultScopes
  return {
    scopes: scopes.filter((scope) => wanted.includes(scope)),
    expiresAt: asked.expiresAt === undefined ? now + defaultKeyLifetimeMs : asked.expiresAt,
  }
}

/** Formats the expiry of a key for messages to sign. */
export function writeKeyExpiry(expiresAt: number | null): string {
  return expiresAt === null ? 'never' : new Date(expiresAt).toISOString()
}
