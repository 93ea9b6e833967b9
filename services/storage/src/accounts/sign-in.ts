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
import { deriveKey } from '../secrets/derive-key.ts'
import { findSigned } from './find-signed.ts'

/** The fields that a nonce covers; a change of any of them invalidates it. */
export type NonceSubject = Pick<SignIn, 'address' | 'domain' | 'id' | 'issuedAt' | 'expiresAt'>

/** A signed sign-in request. */
export type SignedSignIn = {
  /** Normalised. */
  address: string
  message: string
  signature: string
  /** The proof header and what it must cover. */
  proof: string | undefined
  request: Omit<SignedRequest, 'token' | 'node'>
  /** IP address of the caller. */
  ip: string
}

/**
 * Returns the service's nonce for a text to sign: a MAC over the content of the text. Nothing is stored: every
 * replica recognises it when it comes back, and it cannot be created in advance for a future time.
 * @param domain host under which users know the service
 * @throws CairnError INVALID_REQUEST (a text for another host), CHALLENGE_EXPIRED (a text that is not current)
 */
export function issueSignInNonce(context: Context, domain: string, subject: NonceSubject): string {
  if (subject.domain !== domain) {
    throw new CairnError('INVALID_REQUEST', {
      message: `This service does not accept messages of ${subject.domain}`,
      hint: 'Use the host of the API URL in the network profile as the domain.',
      details: { issues: [{ field: 'body.domain', message: `must be ${domain}` }] },
    })
  }
  const now = context.clock.now()
  const lifetimeMs = subject.expiresAt - subject.issuedAt
  if (Math.abs(subject.issuedAt - now) > clockSkewMs || lifetimeMs <= 0 || lifetimeMs > keyChallengeLifetimeMs) {
    throw new CairnError('CHALLENGE_EXPIRED', {
      message: 'The message is not valid at this time',
      ...formatTime(context),
    })
  }
  return makeNonce(context, context.secret, subject)
}

/**
 * Verifies a signed text: it names this service, is current, has this service's nonce, is signed by the account, and
 * is presented by the holder of the session key that it names. Spends nothing.
 * @throws CairnError INVALID_SIGNATURE, CHALLENGE_EXPIRED, CHAIN_NOT_CONFIGURED, UPSTREAM_FAILED, RATE_LIMITED
 */
export async function checkSignIn(context: Context, domain: string, signed: SignedSignIn): Promise<SignIn> {
  const { address, message, signature, ip } = signed
  const signIn = readSignIn(context, domain, address, message)
  checkProof(context, signIn, signed)
  await findSigned(context, { address, messages: [message], signature, ip })
  return signIn
}

/** Runs every cheap check before any signature is verified. */
function readSignIn(context: Context, domain: string, address: string, message: string): SignIn {
  const signIn = parseSignIn(message)
  if (signIn === undefined || signIn.address !== address) throw new CairnError('INVALID_SIGNATURE')
  if (signIn.network !== context.config.networkName || signIn.domain !== domain)
    throw new CairnError('INVALID_SIGNATURE')
  if (!isOwnNonce(context, signIn)) throw new CairnError('INVALID_SIGNATURE')
  const now = context.clock.now()
  if (signIn.expiresAt - signIn.issuedAt > keyChallengeLifetimeMs) throw new CairnError('INVALID_SIGNATURE')
  if (signIn.issuedAt > now + clockSkewMs) throw new CairnError('INVALID_SIGNATURE', formatTime(context))
  if (signIn.expiresAt < now) throw new CairnError('CHALLENGE_EXPIRED', formatTime(context))
  return signIn
}

/**
 * Others, such as the key nodes, see a text and its signature: only the holder of the session key may use them here.
 */
function checkProof(
  context: Context,
  { sessionKey, storageNonce = '' }: SignIn,
  { proof, request }: SignedSignIn,
): void {
  const covered = { ...request, node: storageParty, token: storageNonce }
  const read = proof === undefined ? undefined : verifyRequest(proof, covered, sessionKey)
  if (read === undefined) throw new CairnError('INVALID_SIGNATURE')
  if (Math.abs(read.timeMs - context.clock.now()) > clockSkewMs)
    throw new CairnError('INVALID_SIGNATURE', formatTime(context))
}

/**
 * Returns what a text grants; the minimum rights if it names none, as texts of older clients.
 * @throws CairnError INVALID_REQUEST for unknown scopes
 */
export function grantOf({ apiKey, issuedAt }: SignIn): KeyGrant {
  const read = v.safeParse(v.optional(keyScopes), apiKey?.scopes)
  if (!read.success) {
    throw new CairnError('INVALID_REQUEST', {
      message: 'The signed message contains scopes that are unknown to this service',
    })
  }
  return makeKeyGrant({ scopes: read.output, expiresAt: apiKey?.expiresAt }, issuedAt)
}

/**
 * Spends a text. Of concurrent requests, on any number of replicas, exactly one succeeds. Rows are kept as long as
 * any replica's clock could accept the text.
 * @throws CairnError CHALLENGE_EXPIRED if another request was first
 */
export async function spendSignIn(context: Context, { address, id, expiresAt }: SignIn): Promise<void> {
  try {
    await context.db.write(async (trx) => {
      await trx.deleteFrom('spent_sign_in').where('kept_until', '<', context.clock.now()).execute()
      // The client chooses the id, so the id alone identifies nothing.
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

function makeNonce(
  { config }: Context,
  secret: Uint8Array,
  { address, domain, id, issuedAt, expiresAt }: NonceSubject,
): string {
  const text = ['cairn/sign-in/1', config.networkName, domain, address, id, issuedAt, expiresAt].join('|')
  return createHmac('sha256', deriveKey(secret, 'sign-in-nonce')).update(text).digest('hex').slice(0, 32)
}

function isOwnNonce(context: Context, signIn: SignIn): boolean {
  const given = Buffer.from(signIn.storageNonce ?? '')
  const { secret, secondarySecret = secret } = context
  return [secret, secondarySecret].some((one) => {
    const own = Buffer.from(makeNonce(context, one, signIn))
    return given.length === own.length && timingSafeEqual(own, given)
  })
}

/** An error about the time shows this clock, because a wrong clock on either side is the likeliest cause. */
function formatTime({ clock }: Context): { hint: string; details: { time: number } } {
  const time = clock.now()
  return {
    hint: `The clock of the service shows ${new Date(time).toISOString()}. Compare it with the clock of this machine, then sign a new message.`,
    details: { time },
  }
}
