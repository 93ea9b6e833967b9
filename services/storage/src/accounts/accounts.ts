import { type ApiKeyInfo, CairnError, type Scope } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { findApiKey, issueApiKey, listKeys, revokeKey } from './api-keys.ts'
import { issueChallenge, spendChallenge } from './challenges.ts'
import { type SignedSignIn, spendSignIn } from './sign-in.ts'
import { ensureAccount, readUsage } from './store.ts'

export type { Caller } from './api-keys.ts'

/** Gives a fresh message for an address to sign. */
export function getMessage(context: Context, address: string): Promise<string> {
  return issueChallenge(context, address, 'Create an API key or authorise one upload')
}

/** What a new key shall be. */
type KeyWish = { name: string; scopes: readonly Scope[]; expiresAt: number | null }

/**
 * Makes an API key for whoever signed the last message.
 * @throws CairnError INVALID_REQUEST (an end that is past), INVALID_SIGNATURE, CHALLENGE_EXPIRED, CHAIN_NOT_CONFIGURED,
 *   UPSTREAM_FAILED
 */
export async function createApiKey(
  context: Context,
  wish: KeyWish & { address: string; signature: string; ip: string },
): Promise<string> {
  requireLaterEnd(context, wish)
  await spendChallenge(context, wish)
  await ensureAccount(context, wish.address)
  return issueApiKey(context, wish)
}

/**
 * Makes an API key for whoever signed a text that names this service.
 * @param domain host that users know the service by
 * @throws CairnError INVALID_REQUEST (an end that is past), INVALID_SIGNATURE, CHALLENGE_EXPIRED, CHAIN_NOT_CONFIGURED,
 *   UPSTREAM_FAILED
 */
export async function signIn(context: Context, domain: string, signed: SignedSignIn, wish: KeyWish): Promise<string> {
  requireLaterEnd(context, wish)
  await spendSignIn(context, domain, signed)
  const { address } = signed
  await ensureAccount(context, address)
  return issueApiKey(context, { ...wish, address })
}

function requireLaterEnd({ clock }: Context, { expiresAt }: KeyWish): void {
  if (expiresAt === null || expiresAt > clock.now()) return
  throw new CairnError('INVALID_REQUEST', {
    message: 'The key would have ended already',
    details: { issues: [{ field: 'body.expiresAt', message: 'must be later than now' }] },
  })
}

/** Who holds a key. @throws CairnError UNAUTHENTICATED, API_KEY_EXPIRED, API_KEY_REVOKED */
export const authenticate = findApiKey

/** The account's keys that are not revoked. */
export function listApiKeys(context: Context, address: string): Promise<ApiKeyInfo[]> {
  return listKeys(context, address)
}

/** Ends a key of the account at once. @throws CairnError NOT_FOUND */
export function revokeApiKey(context: Context, address: string, id: string): Promise<void> {
  return revokeKey(context, address, id)
}

/** Bytes an account may store and does. */
export function getUsage(context: Context, address: string): Promise<{ limitBytes: number; usedBytes: number }> {
  return readUsage(context, address)
}
