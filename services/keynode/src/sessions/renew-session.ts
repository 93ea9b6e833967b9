import type { SignedRequest } from '@cairn/crypto'
import { CairnError, type NodeSession, refreshLifetimeMs } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { checkProof } from './check-proof.ts'
import { lifetimeOf } from './open-session.ts'
import { hasRefreshForm, type RefreshToken, readRefreshToken, writeRefreshToken } from './refresh-token.ts'
import { signToken } from './tokens.ts'

/** How long a renewal whose answer was lost may be repeated by the bearer of a session without a key. */
const graceMs = 60_000

/** Request of a renewal. */
export type Renewal = {
  /** Normalised. */
  address: string
  refreshToken: string
  /** The proof header and what it must cover, for sessions that are bound to a key. */
  proof: string | undefined
  request: Omit<SignedRequest, 'token' | 'node'>
}

/**
 * Renews a session and spends the refresh token. The token before the current one returns the current one again: its holder
 * lost the answer, or shares the session with another process. An earlier one ends the session, because another party has it.
 * Regardless of renewals, a session ends 30 days after its text was signed.
 * @throws CairnError INVALID_SIGNATURE, SESSION_EXPIRED
 */
export async function renewNodeSession(context: Context, renewal: Renewal): Promise<NodeSession> {
  const token = readRefreshToken(context, renewal.refreshToken)
  // A token from before this node had a new secret, or from no node: it renews nothing, and its bearer must sign in again.
  if (token === undefined)
    throw new CairnError(hasRefreshForm(renewal.refreshToken) ? 'SESSION_EXPIRED' : 'INVALID_SIGNATURE')
  const { session_key: sessionKey } = await findSession(context, renewal, token)
  if (sessionKey !== null) {
    const request = { ...renewal.request, token: token.secret }
    await checkProof(context, { header: renewal.proof, sessionKey, request })
  }
  return turn(context, renewal, token, 2)
}

async function findSession(context: Context, { address }: Renewal, { sessionId }: RefreshToken) {
  const row = await context.db.read.selectFrom('session').selectAll().where('id', '=', sessionId).executeTakeFirst()
  // This node issued the token, so its bearer may learn the state of the session.
  if (row === undefined || row.ended_at !== null || row.expires_at < context.clock.now())
    throw new CairnError('SESSION_EXPIRED')
  if (row.address !== address) throw new CairnError('INVALID_SIGNATURE')
  return row
}

/**
 * Replaces this refresh token with the next one. If another request was first, the second attempt finds its result.
 */
async function turn(context: Context, renewal: Renewal, token: RefreshToken, tries: number): Promise<NodeSession> {
  const row = await findSession(context, renewal, token)
  const now = context.clock.now()
  const isCurrent = token.turn === row.turn
  // The key of a session proves its holder, who may repeat a renewal at any time.
  const mayRepeat = row.session_key !== null || now - row.rotated_at <= graceMs
  const isRepeated = token.turn === row.turn - 1 && mayRepeat
  if (!isCurrent && !isRepeated) {
    // A later token than the current one was issued before the database was restored to an earlier state: it was not
    // stolen, and its bearer signs in again.
    if (token.turn > row.turn) throw new CairnError('SESSION_EXPIRED')
    await endNodeSession(context, row.id)
    throw new CairnError('SESSION_EXPIRED')
  }
  const refreshExpiresAt = isCurrent ? Math.min(now + refreshLifetimeMs, row.ends_at) : row.expires_at
  if (isCurrent) {
    const turned = await context.db.write((trx) =>
      trx
        .updateTable('session')
        .set({ turn: token.turn + 1, rotated_at: now, expires_at: refreshExpiresAt })
        .where('id', '=', row.id)
        .where('turn', '=', token.turn)
        .where('ended_at', 'is', null)
        .returning('id')
        .executeTakeFirst(),
    )
    if (turned === undefined) {
      if (tries <= 1) throw new CairnError('INVALID_SIGNATURE')
      return turn(context, renewal, token, tries - 1)
    }
  }
  const expiresAt = Math.min(now + lifetimeOf(row.session_key), row.ends_at)
  return {
    node: context.config.node,
    token: await signToken(context, {
      address: row.address,
      sessionId: row.id,
      challengeId: row.challenge_id,
      sessionKey: row.session_key ?? undefined,
      purpose: row.purpose ?? undefined,
      expiresAt,
    }),
    refreshToken: writeRefreshToken(context, { sessionId: row.id, turn: token.turn + 1 }),
    expiresAt,
    refreshExpiresAt,
  }
}

/** Ends a session and all its renewals. */
export async function endNodeSession(context: Context, id: string): Promise<void> {
  const now = context.clock.now()
  await context.db.write((trx) =>
    trx.updateTable('session').set({ ended_at: now }).where('id', '=', id).where('ended_at', 'is', null).execute(),
  )
}
