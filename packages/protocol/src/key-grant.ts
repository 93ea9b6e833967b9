import * as v from 'valibot'
import { type Scope, scopes } from './call.ts'
import { defaultKeyLifetimeMs, latestTimeMs } from './limits.ts'

/** When an API key expires, ms since 1970. */
export const keyEnd = v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(latestTimeMs))
/** What an API key may do. */
export const keyScopes = v.pipe(v.array(v.picklist(scopes)), v.minLength(1))

/** What an API key may do, and when it expires: lines of the text that is signed for it. */
export type KeyGrant = {
  /** In the order of {@link scopes}. */
  scopes: readonly Scope[]
  /** ms since 1970; null for never. */
  expiresAt: number | null
}

/** Scopes of a key for which the client asked for none: it reads and writes files. */
export const defaultScopes = ['files:read', 'files:write'] as const satisfies readonly Scope[]

/** Completes what was asked for. `scopes` defaults to {@link defaultScopes}, `expiresAt` to 90 days from now. */
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

/** When a key expires, as texts to sign say it. */
export function writeKeyExpiry(expiresAt: number | null): string {
  return expiresAt === null ? 'never' : new Date(expiresAt).toISOString()
}
