import { type SignedRequest, verifyRequest } from '@cairn/crypto'
import { CairnError, clockSkewMs } from '@cairn/protocol'
import { isUniqueViolation } from '@cairn/service'
import type { Context } from '../context.ts'
import { verifyEd25519 } from './ed25519.ts'

/**
 * Verifies that the session's key signed a request for this node, now, and marks the proof as used: it is valid once,
 * even across a restart.
 * @throws CairnError INVALID_SIGNATURE
 */
export async function checkProof(
  context: Context,
  {
    header,
    sessionKey,
    request,
  }: { header: string | undefined; sessionKey: string; request: Omit<SignedRequest, 'node'> },
): Promise<void> {
  const { node } = context.config
  const proof =
    header === undefined ? undefined : verifyRequest(header, { ...request, node }, sessionKey, verifyEd25519)
  const now = context.clock.now()
  if (proof === undefined || Math.abs(proof.timeMs - now) > clockSkewMs) throw new CairnError('INVALID_SIGNATURE')
  await markSeen(context, `${sessionKey} ${proof.id}`, proof.timeMs + clockSkewMs)
}

/** Records the use of something that is valid once. @throws CairnError INVALID_SIGNATURE when it was used before */
export async function markSeen(context: Context, id: string, expiresAt: number): Promise<void> {
  try {
    await context.db.write((trx) => trx.insertInto('seen_proof').values({ id, expires_at: expiresAt }).execute())
  } catch (error) {
    if (isUniqueViolation(error)) throw new CairnError('INVALID_SIGNATURE', { cause: error })
    throw error
  }
}
