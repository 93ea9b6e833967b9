import { type FileHandle, open } from 'node:fs/promises'
import { challengeLeaves, provePossession, signChallenge, verifyPossession } from '@cairn/pieces'
import { CairnError, type ChallengeAnswer, challengePiece } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { isDamage, noteDamage } from './damage.ts'
import { noteRead } from './note-read.ts'
import { type KeptPiece, openKept } from './open-kept.ts'

export const challengesPerMinute = challengePiece.limits.perMinute

/**
 * Answers a challenge from the bytes on the disk. Of what is read for it every 32 KiB are hashed and compared first, and the
 * proof is checked before it is signed: damage is said to be damage, never hidden in a proof that does not hold.
 * @throws CairnError INVALID_PIECE_CID, PIECE_NOT_FOUND, PIECE_DAMAGED
 */
export async function answerChallenge(
  context: Context,
  text: string,
  { nonce, count }: { nonce: string; count: number },
): Promise<ChallengeAnswer> {
  const { keys, clock, metrics } = context
  const kept = await openKept(context, text)
  const { cid } = kept.row
  try {
    const proof = await prove(context, kept, challengeLeaves(kept.piece, Buffer.from(nonce, 'hex'), count))
    const answer = signChallenge({ piece: cid, nonce, count, provenAt: clock.now(), proof }, keys.signing)
    metrics.challenges.inc({ result: 'proven' })
    await noteRead(context, cid)
    return answer
  } catch (error) {
    if (!isDamage(error) && !CairnError.is(error, 'PROOF_INVALID')) throw error
    metrics.challenges.inc({ result: 'damaged' })
    throw await noteDamage(context, kept.row, error)
  }
}

async function prove({ files }: Context, { row, piece, tree }: KeptPiece, indices: readonly number[]) {
  const file = await open(files.payloadPath(row.cid), 'r')
  try {
    const proof = await provePossession(tree, (offset, length) => readExactly(file, offset, length), indices)
    verifyPossession(piece, indices, proof)
    return proof
  } finally {
    await file.close()
  }
}

/** Fewer bytes than asked for where the file has ended. */
async function readExactly(file: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length)
  let done = 0
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, offset + done)
    if (bytesRead === 0) break
    done += bytesRead
  }
  return bytes.subarray(0, done)
}
