import { randomUUID } from 'node:crypto'
import { findSignedText } from '@cairn/crypto'
import {
  CairnError,
  keyChallengeLifetimeMs,
  keySaveLifetimeMs,
  legacySessionLifetimeMs,
  type NodeSession,
  refreshLifetimeMs,
  sessionLifetimeMs,
  signInLifetimeMs,
} from '@cairn/protocol'
import { type ContractSignature, contractChecksPerMinute, isUniqueViolation, rateLimitKey } from '@cairn/service'
import type { Context } from '../context.ts'
import { formatTime } from './format-time.ts'
import { type CheckedChallenge, readChallenge } from './read-challenge.ts'
import { writeRefreshToken } from './refresh-token.ts'
import { signToken } from './tokens.ts'

/** A signed sign-in request. */
export type SignedTexts = {
  /** Normalised. */
  address: string
  /** The signed text, or the candidates for it. */
  messages: readonly string[]
  signature: string
  chain: string
  /** Only for saving keys: the text may have been signed before a long upload. */
  use?: 'save' | undefined
  /** IP address of the client. */
  ip: string
}

/**
 * Opens a session for a signed text, which spends the text.
 * @throws CairnError INVALID_SIGNATURE, CHALLENGE_EXPIRED, CHAIN_NOT_CONFIGURED, UPSTREAM_FAILED, RATE_LIMITED
 */
export async function openNodeSession(context: Context, signed: SignedTexts): Promise<NodeSession> {
  const challenge = await findSigned(context, signed)
  const sessionId = randomUUID()
  const now = context.clock.now()
  const refreshExpiresAt = now + refreshLifetimeMs
  const { use: purpose } = signed
  await spendChallenge(context, challenge, async (trx) => {
    await trx
      .insertInto('session')
      .values({
        id: sessionId,
        address: challenge.address,
        challenge_id: challenge.id,
        session_key: challenge.sessionKey ?? null,
        purpose: purpose ?? null,
        turn: 0,
        rotated_at: now,
        ends_at: now + signInLifetimeMs,
        expires_at: refreshExpiresAt,
        ended_at: null,
      })
      .execute()
  })
  const { sessionKey, id: challengeId, address } = challenge
  const expiresAt = now + lifetimeOf(sessionKey)
  return {
    node: context.config.node,
    token: await signToken(context, { address, sessionId, challengeId, sessionKey, purpose, expiresAt }),
    refreshToken: writeRefreshToken(context, { sessionId, turn: 0 }),
    expiresAt,
    refreshExpiresAt,
    challengeId,
  }
}

/** Bearer sessions of published clients must outlive their uploads; ours are renewed. */
export function lifetimeOf(sessionKey: string | null | undefined): number {
  return sessionKey == null ? legacySessionLifetimeMs : sessionLifetimeMs
}

/**
 * Finds the signed text. Runs every cheap check before any signature is verified.
 * @throws CairnError INVALID_SIGNATURE, CHALLENGE_EXPIRED, CHAIN_NOT_CONFIGURED, UPSTREAM_FAILED, RATE_LIMITED
 */
export async function findSigned(context: Context, signed: SignedTexts): Promise<CheckedChallenge> {
  const { address, messages, signature, chain, use } = signed
  const ageMs = use === 'save' ? keySaveLifetimeMs : keyChallengeLifetimeMs
  const read = messages.map((text) => readChallenge(context, address, text, ageMs))
  const challenges = read.filter((one) => typeof one === 'object')
  const texts = challenges.map(({ text }) => text)
  const found = await findSignedText(address, texts, signature, (question) =>
    queryContract(context, signed.ip, { ...question, chain }),
  )
  const challenge = challenges.find(({ text }) => text === found)
  if (challenge !== undefined) return challenge
  if (challenges.length === 0 && read.includes('expired'))
    throw new CairnError('CHALLENGE_EXPIRED', formatTime(context))
  throw new CairnError('INVALID_SIGNATURE', read.includes('early') ? formatTime(context) : {})
}

/** A key's signature has 64 or 65 bytes; without a chain to query, it is simply wrong. */
async function queryContract(
  context: Context,
  ip: string,
  signed: ContractSignature & { chain: string },
): Promise<string | undefined> {
  context.rates.consume(`contract ${rateLimitKey(ip)}`, contractChecksPerMinute.atNode)
  try {
    return await context.verifyContract(signed)
  } catch (error) {
    const { length } = signed.signature
    if (CairnError.is(error, 'CHAIN_NOT_CONFIGURED') && (length === 132 || length === 130)) return undefined
    if (CairnError.is(error, 'CHAIN_NOT_SUPPORTED')) throw new CairnError('CHAIN_NOT_CONFIGURED', { cause: error })
    throw error
  }
}

/**
 * Returns the key of a spent challenge. The id alone is not enough: the requester of a nonce chooses it, and each
 * node sees it before it is signed, so that others could spend it in their own names.
 */
export function nameSpent({ address, id }: Pick<CheckedChallenge, 'address' | 'id'>): string {
  return `${address} ${id}`
}

/**
 * Spends a challenge together with its effect, in one unit. Of concurrent requests exactly one succeeds.
 * @throws CairnError CHALLENGE_EXPIRED when it was spent before
 */
export async function spendChallenge(
  context: Context,
  challenge: CheckedChallenge,
  unit: (trx: Parameters<Parameters<Context['db']['write']>[0]>[0]) => Promise<void>,
): Promise<void> {
  try {
    await context.db.write(async (trx) => {
      await trx
        .insertInto('spent_challenge')
        .values({ id: nameSpent(challenge), address: challenge.address, expires_at: challenge.expiresAt })
        .execute()
      await unit(trx)
    })
    context.issued.spend(challenge.address, challenge.id)
  } catch (error) {
    if (isUniqueViolation(error)) throw new CairnError('CHALLENGE_EXPIRED', { cause: error })
    throw error
  }
}
