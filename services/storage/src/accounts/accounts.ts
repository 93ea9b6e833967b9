import { type ApiKeyInfo, CairnError, type KeyGrant, makeKeyGrant, type Scope } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { findApiKey, findEndedKeys, issueApiKey, keyColumns, listKeys, revokeKey, useKey } from './api-keys.ts'
import { findChallenge, issueChallenge, type Purpose, spendChallenge } from './challenges.ts'
import { checkSignIn, grantOf, type SignedSignIn, spendSignIn } from './sign-in.ts'
import { ensureAccount, readUsage } from './store.ts'

/** Parameters of a request for a message. */
type AskedMessage = {
  purpose?: 'api-key' | 'upload' | undefined
  scopes?: readonly Scope[] | undefined
  expiresAt?: number | null | undefined
}

/**
 * Creates a message for an address to sign. Scopes or an expiry mean that it is for an API key.
 * @param otherwise purpose of the message if the caller names none
 * @param ip of the caller
 * @throws CairnError INVALID_REQUEST (an expiry in the past; rights of a key for an upload)
 */
export async function getMessage(
  context: Context,
  address: string,
  asked: AskedMessage,
  otherwise: Purpose,
  ip: string,
): Promise<string> {
  const isForKey = asked.scopes !== undefined || asked.expiresAt !== undefined
  const purpose = asked.purpose === 'upload' ? 'upload' : asked.purpose === 'api-key' || isForKey ? 'key' : otherwise
  if (purpose !== 'upload') {
    const grant = makeKeyGrant(asked, context.clock.now())
    requireLaterEnd(context, grant, 'query.expiresAt')
    return issueChallenge(context, address, { purpose, grant }, ip)
  }
  if (!isForKey) return issueChallenge(context, address, { purpose, grant: null }, ip)
  throw new CairnError('INVALID_REQUEST', {
    message: 'scopes and expiresAt apply only to API keys, not to uploads',
    details: { issues: [{ field: 'query.purpose', message: 'must be api-key when scopes or expiresAt are set' }] },
  })
}

/** Parameters of a new API key: its name and, optionally, a copy of what the signed text grants. */
type KeyRequest = {
  name: string
  scopes: readonly Scope[] | undefined
  expiresAt: number | null | undefined
}

/**
 * Creates an API key for a signed message, with the scopes and the expiry that the message names.
 * @throws CairnError INVALID_REQUEST (an expiry in the past), INVALID_SIGNATURE, CHALLENGE_EXPIRED, SIGNED_FOR_ANOTHER_USE,
 *   CHAIN_NOT_CONFIGURED, UPSTREAM_FAILED, RATE_LIMITED, ACCOUNT_BLOCKED
 */
export async function createApiKey(
  context: Context,
  request: KeyRequest & { address: string; signature: string; ip: string },
): Promise<string> {
  const challenge = await findChallenge(context, request, 'key')
  const grant = requireSigned(context, challenge.grant, request)
  await spendChallenge(context, challenge)
  await ensureAccount(context, request.address, request.ip)
  return issueApiKey(context, { address: request.address, name: request.name, ...grant })
}

/**
 * Creates an API key for a signed text that names this service, with the scopes and the expiry that the text names.
 * @param domain host under which users know the service
 * @throws CairnError as {@link createApiKey}
 */
export async function signIn(
  context: Context,
  domain: string,
  signed: SignedSignIn,
  request: KeyRequest,
): Promise<string> {
  const text = await checkSignIn(context, domain, signed)
  const grant = requireSigned(context, grantOf(text), request)
  await spendSignIn(context, text)
  const { address } = signed
  await ensureAccount(context, address, signed.ip)
  return issueApiKey(context, { address, name: request.name, ...grant })
}

/**
 * Returns the signed grant, which is what the key gets. Rejects a request that differs from it, because the caller
 * would expect other rights.
 */
function requireSigned(context: Context, signed: KeyGrant | null, { scopes, expiresAt }: KeyRequest): KeyGrant {
  if (signed === null) throw new CairnError('SIGNED_FOR_ANOTHER_USE')
  const areScopesSigned = scopes === undefined || isSameSet(scopes, signed.scopes)
  const isEndSigned = expiresAt === undefined || expiresAt === signed.expiresAt
  if (!areScopesSigned || !isEndSigned) {
    throw new CairnError('SIGNED_FOR_ANOTHER_USE', {
      message: 'The signed message has different scopes or another expiry than the request',
      details: { signed: { ...signed } },
    })
  }
  requireLaterEnd(context, signed, 'body.expiresAt')
  return signed
}

function isSameSet(some: readonly Scope[], others: readonly Scope[]): boolean {
  return some.every((scope) => others.includes(scope)) && others.every((scope) => some.includes(scope))
}

function requireLaterEnd({ clock }: Context, { expiresAt }: KeyGrant, field: string): void {
  if (expiresAt === null || expiresAt > clock.now()) return
  throw new CairnError('INVALID_REQUEST', {
    message: 'The expiry of the API key is in the past',
    details: { issues: [{ field, message: 'must be later than now' }] },
  })
}

/** Who holds a key. @throws CairnError UNAUTHENTICATED, API_KEY_EXPIRED, API_KEY_REVOKED, ACCOUNT_BLOCKED */
export const authenticate = findApiKey

export { ensureAccount, findEndedKeys, issueApiKey, keyColumns, useKey }

/** Lists the account's API keys that are not revoked. */
export function listApiKeys(context: Context, address: string): Promise<ApiKeyInfo[]> {
  return listKeys(context, address)
}

/** Revokes an API key of the account immediately. @throws CairnError NOT_FOUND */
export function revokeApiKey(context: Context, address: string, id: string): Promise<void> {
  return revokeKey(context, address, id)
}

/** Returns the bytes that an account may store and the bytes it stores. */
export function getUsage(context: Context, address: string): Promise<{ limitBytes: number; usedBytes: number }> {
  return readUsage(context, address)
}
