import type { SignedRequest } from '@cairn/crypto'
import { CairnError, type NodeSession, refreshLifetimeMs } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { checkProof } from './check-proof.ts'
import { lifetimeOf } from './open-session.ts'
import { hashSecret, isEarlierSecret, isSameHash, nextSecret } from './refresh-secret.ts'
import { signToken } from './tokens.ts'

/** A renewal whose answer was lost may be made again for this long. */
const graceMs = 60_000

/** What a renewal comes with. */
export type Renewal = {
  /** Normalised. */
  address: string
  refreshToken: string
  /** The proof header and what it has to cover, for sessions that are bound to a key. */
  proof: string | undefined
  request: Omit<SignedRequest, 'token' | 'node'>
}

/**
 * Renews a session; the refresh token is spent by it. One that was spent before ends the session, for somebody else has it.
 * @throws CairnError INVALID_SIGNATURE
 */
export async function renewNodeSession(context: Context, renewal: Renewal): Promise<NodeSession> {
  const { row, secret } = await findSession(context, renewal)
  if (row.session_key !== null) {
    const request = { ...renewal.request, token: secret }
    await checkProof(context, { header: renewal.proof, sessionKey: row.session_key, request })
  }
  return turn(context, renewal, 2)
}

async function findSession(context: Context, renewal: Renewal) {
  const [, id, secret] = /^(?:r:)?([0-9a-f-]{36})\.([\w-]{43})$/.exec(renewal.refreshToken) ?? []
  if (id === undefined || secret === undefined) throw new CairnError('INVALID_SIGNATURE')
  const now = context.clock.now()
  const row = await context.db.read.selectFrom('session').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined || row.ended_at !== null || row.expires_at < now || row.address !== renewal.address)
    throw new CairnError('INVALID_SIGNATURE')
  return { row, id, secret }
}

/** Puts the next refresh token in the place of this one. Where another request was faster, the second try finds its work. */
async function turn(context: Context, renewal: Renewal, tries: number): Promise<NodeSession> {
  const { row, id, secret } = await findSession(context, renewal)
  const now = context.clock.now()
  const hash = hashSecret(secret)
  const isCurrent = isSameHash(hash, row.refresh_hash)
  const isRepeated = isSameHash(hash, row.previous_hash) && now - row.rotated_at <= graceMs
  if (!isCurrent && !isRepeated) {
    if (isEarlierSecret(context, secret, row.refresh_hash)) await endNodeSession(context, id)
    throw new CairnError('INVALID_SIGNATURE')
  }
  const next = nextSecret(context, secret)
  const refreshExpiresAt = now + refreshLifetimeMs
  if (isCurrent) {
    const turned = await context.db.write((trx) =>
      trx
        .updateTable('session')
        .set({ refresh_hash: hashSecret(next), previous_hash: hash, rotated_at: now, expires_at: refreshExpiresAt })
        .where('id', '=', id)
        .where('refresh_hash', '=', row.refresh_hash)
        .where('ended_at', 'is', null)
        .returning('id')
        .executeTakeFirst(),
    )
    if (turned === undefined) {
      if (tries <= 1) throw new CairnError('INVALID_SIGNATURE')
      return turn(context, renewal, tries - 1)
    }
  }
  const expiresAt = now + lifetimeOf(row.session_key)
  const sessionKey = row.session_key ?? undefined
  const claims = { address: row.address, sessionId: id, challengeId: row.challenge_id, sessionKey, expiresAt }
  return {
    node: context.config.node,
    token: await signToken(context, claims),
    refreshToken: `${id}.${next}`,
    expiresAt,
    refreshExpiresAt,
  }
}

/** Ends a session and all it was renewed from. */
export async function endNodeSession(context: Context, id: string): Promise<void> {
  const now = context.clock.now()
  await context.db.write((trx) =>
    trx.updateTable('session').set({ ended_at: now }).where('id', '=', id).where('ended_at', 'is', null).execute(),
  )
}
