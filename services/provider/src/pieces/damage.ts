import { CairnError } from '@cairn/protocol'
import { errnoOf } from '@cairn/service/objects'
import type { Context } from '../context.ts'
import { findPiece, type PieceRow, recordDamage } from './store.ts'

/** Disk errors that mean that the bytes are lost, not that the disk is busy. */
const lostCodes: readonly unknown[] = ['ENOENT', 'EIO', 'EUCLEAN', 'EBADMSG']

/** Whether a read error means that the bytes of a piece are missing or wrong. */
export function isDamage(error: unknown): boolean {
  return CairnError.is(error, 'PIECE_DAMAGED') || lostCodes.includes(errnoOf(error))
}

/**
 * Marks a piece as damaged, unless it was removed or fetched again since `row` was read. Returns the error for the
 * reader.
 */
export async function noteDamage(context: Context, row: PieceRow, error: unknown): Promise<CairnError> {
  const { db, log, metrics } = context
  const code = errnoOf(error)
  const message =
    code === 'ENOENT' ? 'A file of the piece is missing' : code === 'EIO' ? 'The disk cannot read the piece' : undefined
  const failure = new CairnError('PIECE_DAMAGED', { ...(message === undefined ? {} : { message }), cause: error })
  const isMarked = await db
    .write((trx) => recordDamage(trx, row, failure.message))
    .catch((cause: unknown) => {
      log.error({ err: cause, piece: row.cid }, 'failed to record a damaged piece')
      return undefined
    })
  if (isMarked === undefined) return failure
  if (isMarked) {
    metrics.damagedPieces.inc()
    log.error({ err: error, piece: row.cid }, 'stored piece is damaged')
    return failure
  }
  const now = await findPiece(db.read, row.cid)
  return now === undefined || now.state === 'queued' ? new CairnError('PIECE_NOT_FOUND') : failure
}
