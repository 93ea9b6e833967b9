import { createReadStream } from 'node:fs'
import { encodePieceCid } from '@cairn/pieces'
import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { isDamage, noteDamage } from './damage.ts'
import type { KeptPiece } from './open-kept.ts'
import { requireKept } from './store.ts'
import { isTreeWhole } from './tree-file.ts'

/**
 * Runs work that reads a piece by its tree. If the two do not match, the tree may be damaged: in that case it is
 * computed again from the payload, and the work runs once more. Otherwise the payload is damaged, and the piece is
 * marked.
 * @throws CairnError PIECE_DAMAGED, PIECE_NOT_FOUND when the piece was removed meanwhile; what else the work throws
 */
export async function withTreeRepair<T>(
  context: Context,
  kept: KeptPiece,
  work: (isAgain: boolean) => Promise<T>,
): Promise<T> {
  const isWrong = (error: unknown) => isDamage(error) || CairnError.is(error, 'PROOF_INVALID')
  try {
    return await work(false)
  } catch (error) {
    if (!isWrong(error)) throw error
  }
  try {
    await context.locks.run(kept.row.cid, () => repairTree(context, kept))
    return await work(true)
  } catch (error) {
    throw isWrong(error) ? await noteDamage(context, kept.row, error) : error
  }
}

/** @throws CairnError PIECE_DAMAGED when both tree and payload are wrong */
async function repairTree({ db, files, hashes, log }: Context, { row, piece }: KeptPiece): Promise<void> {
  const { cid } = row
  await requireKept(db.read, cid)
  // The previous holder of the lock may have repaired it.
  if (await isTreeWhole(files.treePath(cid), cid, piece)) return
  log.warn({ piece: cid }, 'rebuilding the tree of a piece')
  const hasher = hashes.createHasher()
  try {
    for await (const bytes of createReadStream(files.payloadPath(cid), { highWaterMark: 1024 * 1024 })) {
      await hasher.write(bytes)
    }
    const { piece: found, levels } = await hasher.finish()
    if (encodePieceCid(found) !== cid) throw new CairnError('PIECE_DAMAGED')
    await files.writeTree(cid, levels)
  } catch (error) {
    hasher.drop()
    // An empty payload has no commitment.
    throw CairnError.is(error, 'INVALID_REQUEST') ? new CairnError('PIECE_DAMAGED', { cause: error }) : error
  }
}
