import { createReadStream } from 'node:fs'
import { encodePieceCid } from '@cairn/pieces'
import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { isDamage, noteDamage } from './damage.ts'
import type { KeptPiece } from './open-kept.ts'
import { requireKept } from './store.ts'
import { isTreeWhole } from './tree-file.ts'

/**
 * Runs what reads a piece by its tree. Where the two do not fit, the tree may be what is wrong: it is computed again from the
 * payload if it is, and the work is done once more. What is wrong then is the payload, and the piece is marked as damaged.
 * @throws CairnError PIECE_DAMAGED, PIECE_NOT_FOUND where the piece was removed meanwhile; what else the work throws
 */
export async function mendingTree<T>(
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
    await context.locks.run(kept.row.cid, () => mendTree(context, kept))
    return await work(true)
  } catch (error) {
    throw isWrong(error) ? await noteDamage(context, kept.row, error) : error
  }
}

/** @throws CairnError PIECE_DAMAGED where the tree is wrong and the payload is, too */
async function mendTree({ db, files, hashes, log }: Context, { row, piece }: KeptPiece): Promise<void> {
  const { cid } = row
  await requireKept(db.read, cid)
  // Whoever had the lock before may have mended it.
  if (await isTreeWhole(files.treePath(cid), cid, piece)) return
  log.warn({ piece: cid }, 'the tree of a piece is computed again')
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
