import { createHash } from 'node:crypto'
import { proofHeader } from '@cairn/crypto'
import {
  CairnError,
  type CallDefinition,
  getConditions,
  keyChallengeLifetimeMs,
  keySaveLifetimeMs,
  normalizeIdentity,
  removeConditions,
  retireKey,
  revokeKey,
  saveShard,
  shareKey,
  transferOwnership,
} from '@cairn/protocol'
import type { Authorized } from '@cairn/service'
import type { FastifyRequest } from 'fastify'
import type { Caller, Context } from '../context.ts'
import { markSeen, verifyProof } from './check-proof.ts'
import { isSaving } from './is-saving.ts'
import { repeatMs } from './issued-texts.ts'
import { findSigned, nameSpent, type SignedTexts, spendChallenge } from './open-session.ts'
import type { CheckedChallenge } from './read-challenge.ts'
import { countSignature } from './signature-rate.ts'
import { readPeerToken, readToken } from './tokens.ts'

/** Carries the signed text for a signature that is itself a bearer, in base64url. */
const messageHeader = 'x-auth-message'
const maxBearerBytes = 8192
/** Calls that consist of a single change, which marks the proof as used in its own unit of work. */
const singleChanges: ReadonlySet<string> = new Set(
  [saveShard, shareKey, revokeKey, transferOwnership, retireKey, removeConditions].map(({ id }) => id),
)

/**
 * Authenticates the caller independently of the router: by a token that this node signed, with a proof when the
 * session has a key; by a fresh signature, valid for one request; by a peer's token when peers may call. Reads no
 * data before that.
 * @throws CairnError INVALID_SIGNATURE, SESSION_EXPIRED
 */
export async function authorizeCall(
  context: Context,
  request: FastifyRequest,
  call: CallDefinition,
): Promise<Authorized<Caller>> {
  const bearer = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1]
  if (bearer === undefined || bearer.length > maxBearerBytes) throw new CairnError('INVALID_SIGNATURE')
  if (call.auth === 'peer') return authorizePeer(context, bearer, subjectOf(call, request.body))
  const token = bearer.replace(/^jwt:/, '')
  const caller = isToken(token)
    ? await authorizeToken(context, request, call.id, token)
    : await authorizeSignature(context, request, call.id, bearer)
  const claimed = addressOf(request.body)
  if (claimed !== undefined && claimed !== caller.address) throw new CairnError('INVALID_SIGNATURE')
  return { caller, id: caller.address }
}

/**
 * Authenticates a caller who sends a token to a public call. @throws CairnError INVALID_SIGNATURE, SESSION_EXPIRED
 */
export async function findCaller(context: Context, request: FastifyRequest): Promise<Caller | undefined> {
  const bearer = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1]
  if (bearer === undefined) return undefined
  const token = bearer.replace(/^jwt:/, '')
  if (!isToken(token)) throw new CairnError('INVALID_SIGNATURE')
  return authorizeToken(context, request, getConditions.id, token)
}

/** A token has three parts separated by dots. A bundle of several nodes' tokens has none and is not for a node. */
function isToken(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)
}

/**
 * A token that names its subject may come again: it returns a statement about it, which is public or encrypted for the
 * peer, and nothing changes. So no query of a peer waits for the disk. One that names none, of an older node, is valid
 * once.
 */
async function authorizePeer(context: Context, bearer: string, subject: unknown): Promise<Authorized<Caller>> {
  const { peer, id, cid, expiresAt } = await readPeerToken(context, bearer)
  if (cid === undefined) await markSeen(context, `peer ${peer} ${id}`, expiresAt)
  else if (cid !== subject) throw new CairnError('INVALID_SIGNATURE')
  const name = `node:${peer}`
  return { caller: { address: name, challengeId: id, sessionId: id, isBound: true, peer }, id: name }
}

async function authorizeToken(
  context: Context,
  request: FastifyRequest,
  callId: string,
  token: string,
): Promise<Caller> {
  const { address, sessionId, challengeId, sessionKey, purpose } = await readToken(context, token)
  if (purpose === 'save' && !isSaving(callId)) throw new CairnError('INVALID_SIGNATURE')
  if (sessionKey === undefined && !context.config.legacyBearer) throw new CairnError('INVALID_SIGNATURE')
  const session = await context.db.read
    .selectFrom('session')
    .select(['ended_at'])
    .where('id', '=', sessionId)
    .executeTakeFirst()
  if (session === undefined || session.ended_at !== null) throw new CairnError('SESSION_EXPIRED')
  const caller = { address, challengeId, sessionId, isBound: sessionKey !== undefined, peer: undefined }
  if (sessionKey === undefined) return caller
  const header = request.headers[proofHeader]
  const proof = verifyProof(context, {
    header: typeof header === 'string' ? header : undefined,
    sessionKey,
    request: { method: request.method, path: request.url, body: request.cairnBody ?? '', token },
  })
  if (singleChanges.has(callId)) return { ...caller, proof }
  await proof.mark()
  return caller
}

async function authorizeSignature(
  context: Context,
  request: FastifyRequest,
  callId: string,
  signature: string,
): Promise<Caller> {
  const address = addressOf(request.body)
  if (!context.config.legacyBearer || address === undefined) throw new CairnError('INVALID_SIGNATURE')
  countSignature(context.rates, request.ip)
  const given = request.headers[messageHeader]
  // Published clients sign before they upload: a key may be saved hours later, all other calls follow immediately.
  const use = isSaving(callId) ? 'save' : undefined
  const ageMs = use === 'save' ? keySaveLifetimeMs : keyChallengeLifetimeMs
  const messages =
    typeof given === 'string' ? [Buffer.from(given, 'base64url').toString('utf8')] : context.issued.of(address, ageMs)
  const challenge = await findBearer(context, { address, messages, signature, chain: 'ALL', use, ip: request.ip })
  // A sign-in can only open a session.
  if (challenge.sessionKey !== undefined) throw new CairnError('INVALID_SIGNATURE')
  const hash = createHash('sha256')
    .update(`${request.method} ${request.url}\n${request.cairnBody ?? ''}`)
    .digest()
  const now = context.clock.now()
  try {
    await spendChallenge(context, challenge, async (trx) => {
      await trx
        .insertInto('bearer_use')
        .values({
          challenge_id: nameSpent(challenge),
          request_hash: hash,
          used_at: now,
          expires_at: challenge.expiresAt,
        })
        .execute()
    })
  } catch (error) {
    if (!CairnError.is(error, 'CHALLENGE_EXPIRED')) throw error
    const use = await context.db.read
      .selectFrom('bearer_use')
      .select(['request_hash', 'used_at'])
      .where('challenge_id', '=', nameSpent(challenge))
      .executeTakeFirst()
    const isRepeated = use !== undefined && hash.equals(use.request_hash) && now - use.used_at <= repeatMs
    // Every call with a session is idempotent, so a repeated request simply runs again.
    if (!isRepeated) throw new CairnError('INVALID_SIGNATURE', { cause: error })
  }
  return { address, challengeId: challenge.id, sessionId: challenge.id, isBound: false, peer: undefined }
}

/**
 * As {@link findSigned}, with the single error text that published clients know for every reason. @throws CairnError
 * as that, except CHALLENGE_EXPIRED
 */
async function findBearer(context: Context, signed: SignedTexts): Promise<CheckedChallenge> {
  try {
    return await findSigned(context, signed)
  } catch (error) {
    if (!CairnError.is(error, 'CHALLENGE_EXPIRED')) throw error
    throw new CairnError('INVALID_SIGNATURE', { hint: error.hint, cause: error })
  }
}

/** Returns what a peer's token must name: the file in the body or, for calls about many files, the call. */
function subjectOf(call: CallDefinition, body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'cid' in body ? body.cid : call.id
}

/** Returns the address in a body: the call is made in the name of its signer. */
function addressOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('address' in body)) return undefined
  return normalizeIdentity(typeof body.address === 'string' ? body.address.trim() : '')
}
