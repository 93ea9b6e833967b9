import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseSignIn, type SignedRequest, type SignIn, storageParty, verifyRequest } from '@cairn/crypto'
import {
  CairnError,
  clockSkewMs,
  type KeyGrant,
  keyChallengeLifetimeMs,
  keyScopes,
  makeKeyGrant,
} from '@cairn/protocol'
import { isUniqueViolation } from '@cairn/service'
import * as v from 'valibot'
import type { Context } from '../context.ts'
import { deriveKey } from '../derive-key.ts'
import { findSigned } from './find-signed.ts'

/** What a nonce is for; whoever changes any of it has no nonce. */
export type NonceSubject = Pick<SignIn, 'address' | 'domain' | 'id' | 'issuedAt' | 'expiresAt'>

/** Who signs in, and with what. */
export type SignedSignIn = {
  /** Normalised. */
  address: string
  message: string
  signature: string
  /** The proof header and what it has to cover. */
  proof: string | undefined
  request: Omit<SignedRequest, 'token' | 'node'>
  /** Who asks. */
  ip: string
}

/**
 * The service's nonce for a text to sign: a MAC over what the text says. Nothing is kept; the service recognises it when it
 * comes back, on every replica, and nobody can make one for a time to come.
 * @param domain host that users know the service by
 * @throws CairnError INVALID_REQUEST (a text for another host), CHALLENGE_EXPIRED (a text that is not of now)
 */
export function giveSignInNonce(context: Context, domain: string, subject: NonceSubject): string {
  if (subject.domain !== domain) {
    throw new CairnError('INVALID_REQUEST', {
      message: `Texts of ${subject.domain} are not for this service`,
      hint: 'Let the text name the host of the address of the API in the network’s profile.',
      details: { issues: [{ field: 'body.domain', message: `must be ${domain}` }] },
    })
  }
  const now = context.clock.now()
  const lifetimeMs = subject.expiresAt - subject.issuedAt
  if (Math.abs(subject.issuedAt - now) > clockSkewMs || lifetimeMs <= 0 || lifetimeMs > keyChallengeLifetimeMs) {
    throw new CairnError('CHALLENGE_EXPIRED', {
      message: 'The time of this text is not now',
      ...sayTime(context),
      details: { time: now },
    })
  }
  return makeNonce(context, subject)
}

/**
 * Checks a signed text: that it names this service, is of now, has this service's own nonce, is signed by the account, and is
 * shown by the holder of the session key that it names. Nothing is spent.
 * @throws CairnError INVALID_SIGNATURE, CHALLENGE_EXPIRED, CHAIN_NOT_CONFIGURED, UPSTREAM_FAILED,
 *   RATE_LIMITED
 */
export async function checkSignIn(context: Context, domain: string, signed: SignedSignIn): Promise<SignIn> {
  const { address, message, signature, ip } = signed
  const signIn = readSignIn(context, domain, address, message)
  checkProof(context, signIn, signed)
  await findSigned(context, { address, messages: [message], signature, ip })
  return signIn
}

/** Everything that costs nothing is checked before any signature is. */
function readSignIn(context: Context, domain: string, address: string, message: string): SignIn {
  const signIn = parseSignIn(message)
  if (signIn === undefined || signIn.address !== address) throw new CairnError('INVALID_SIGNATURE')
  if (signIn.network !== context.config.networkName || signIn.domain !== domain)
    throw new CairnError('INVALID_SIGNATURE')
  if (!isOwnNonce(context, signIn)) throw new CairnError('INVALID_SIGNATURE')
  const now = context.clock.now()
  if (signIn.expiresAt - signIn.issuedAt > keyChallengeLifetimeMs) throw new CairnError('INVALID_SIGNATURE')
  if (signIn.issuedAt > now + clockSkewMs) throw new CairnError('INVALID_SIGNATURE', sayTime(context))
  if (signIn.expiresAt < now) throw new CairnError('CHALLENGE_EXPIRED', sayTime(context))
  return signIn
}

/** A text and its signature are seen by others, the key nodes among them: only who made the session key may use them here. */
function checkProof(
  context: Context,
  { sessionKey, storageNonce = '' }: SignIn,
  { proof, request }: SignedSignIn,
): void {
  const covered = { ...request, node: storageParty, token: storageNonce }
  const read = proof === undefined ? undefined : verifyRequest(proof, covered, sessionKey)
  if (read === undefined) throw new CairnError('INVALID_SIGNATURE')
  if (Math.abs(read.timeMs - context.clock.now()) > clockSkewMs)
    throw new CairnError('INVALID_SIGNATURE', sayTime(context))
}

/**
 * Returns what a text grants; the least if it does not say, as texts of older clients.
 * @throws CairnError INVALID_REQUEST for scopes that are not known here
 */
export function grantOf({ apiKey, issuedAt }: SignIn): KeyGrant {
  const read = v.safeParse(v.optional(keyScopes), apiKey?.scopes)
  if (!read.success) {
    throw new CairnError('INVALID_REQUEST', { message: 'The signed text names scopes that this service does not know' })
  }
  return makeKeyGrant({ scopes: read.output, expiresAt: apiKey?.expiresAt }, issuedAt)
}

/**
 * Spends a text. Of many at once, on however many replicas, exactly one gets it. Rows stay as long as any replica's clock could
 * take the text.
 * @throws CairnError CHALLENGE_EXPIRED if another was first
 */
export async function spendSignIn(context: Context, { address, id, expiresAt }: SignIn): Promise<void> {
  try {
    await context.db.write(async (trx) => {
      await trx.deleteFrom('spent_sign_in').where('kept_until', '<', context.clock.now()).execute()
      // The id alone is anybody's to choose.
      await trx
        .insertInto('spent_sign_in')
        .values({ address, id, kept_until: expiresAt + 2 * clockSkewMs })
        .execute()
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw new CairnError('CHALLENGE_EXPIRED', { cause: error })
    throw error
  }
}

function makeNonce({ config, secret }: Context, { address, domain, id, issuedAt, expiresAt }: NonceSubject): string {
  const text = ['cairn/sign-in/1', config.networkName, domain, address, id, issuedAt, expiresAt].join('|')
  return createHmac('sha256', deriveKey(secret, 'sign-in-nonce')).update(text).digest('hex').slice(0, 32)
}

function isOwnNonce(context: Context, signIn: SignIn): boolean {
  const own = Buffer.from(makeNonce(context, signIn))
  const given = Buffer.from(signIn.storageNonce ?? '')
  return given.length === own.length && timingSafeEqual(own, given)
}

/** Where the time is what is wrong, the clocks of both sides are the first thing to look at. */
function sayTime({ clock }: Context): { hint: string } {
  const time = new Date(clock.now()).toISOString()
  return { hint: `The service has the time ${time}: compare it with this machine’s clock, and sign a new text.` }
}
