import { type SignedRequest, verifyRequest } from '@cairn/crypto'
import { CairnError, clockSkewMs } from '@cairn/protocol'
import { ConflictError, isUniqueViolation } from '@cairn/service'
import { type Kysely, sql } from 'kysely'
import type { Caller, Context, UsedProof } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { verifyEd25519 } from './ed25519.ts'
import { formatTime } from './format-time.ts'

type Trx = Kysely<Schema>

/** A proof, and what it must cover. */
type GivenProof = { header: string | undefined; sessionKey: string; request: Omit<SignedRequest, 'node'> }

/**
 * Verifies that the session's key signed a request for this node, now, and marks the proof as used: it is valid once,
 * even across a restart.
 * @throws CairnError INVALID_SIGNATURE
 */
export async function checkProof(context: Context, given: GivenProof): Promise<void> {
  await verifyProof(context, given).mark()
}

/**
 * Verifies that the session's key signed a request for this node, now. The change that it allows marks it as used.
 * @throws CairnError INVALID_SIGNATURE
 */
export function verifyProof(context: Context, { header, sessionKey, request }: GivenProof): UsedProof {
  const { node } = context.config
  const proof =
    header === undefined ? undefined : verifyRequest(header, { ...request, node }, sessionKey, verifyEd25519)
  const now = context.clock.now()
  if (proof === undefined) throw new CairnError('INVALID_SIGNATURE')
  if (Math.abs(proof.timeMs - now) > clockSkewMs) throw new CairnError('INVALID_SIGNATURE', formatTime(context))
  const used: UsedProof = {
    id: `${sessionKey} ${proof.id}`,
    expiresAt: proof.timeMs + clockSkewMs,
    isMarked: false,
    async mark() {
      if (used.isMarked) return
      await markSeen(context, used.id, used.expiresAt)
      used.isMarked = true
    },
  }
  return used
}

/**
 * Makes the change of a call, and marks the proof of the call as used in the same commit, so that both wait for the
 * disk once. The mark stays when the change fails.
 * @throws CairnError INVALID_SIGNATURE when the proof was used before, and those of the change
 */
export async function writeChangeOnce<T>(
  { db }: Context,
  { proof }: Caller,
  change: (trx: Trx) => Promise<T>,
): Promise<T> {
  if (proof === undefined) return db.write(change)
  const outcome = await db.write(async (trx) => {
    await insertSeen(trx, proof.id, proof.expiresAt)
    await sql`savepoint change`.execute(trx)
    try {
      const result = await change(trx)
      await sql`release savepoint change`.execute(trx)
      return { result }
    } catch (error) {
      // The whole unit runs again.
      if (error instanceof ConflictError) throw error
      await undoChange(trx, error)
      return { error }
    }
  })
  proof.isMarked = true
  if ('error' in outcome) throw outcome.error
  return outcome.result
}

/** Undoes the change only. @throws the error of the change when the transaction ended with it, as on a full disk */
async function undoChange(trx: Trx, error: unknown): Promise<void> {
  try {
    await sql`rollback to savepoint change`.execute(trx)
  } catch {
    // The savepoint is gone, but that error is less informative than the one that ended the transaction.
    throw error
  }
}

/** Records the use of something that is valid once. @throws CairnError INVALID_SIGNATURE when it was used before */
export async function markSeen(context: Context, id: string, expiresAt: number): Promise<void> {
  await context.db.write((trx) => insertSeen(trx, id, expiresAt))
}

async function insertSeen(trx: Trx, id: string, expiresAt: number): Promise<void> {
  try {
    await trx.insertInto('seen_proof').values({ id, expires_at: expiresAt }).execute()
  } catch (error) {
    if (isUniqueViolation(error)) throw new CairnError('INVALID_SIGNATURE', { cause: error })
    throw error
  }
}
