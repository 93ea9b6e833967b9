import { statfs } from 'node:fs/promises'
import { CairnError, MIB } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { readPiece } from './read-piece.ts'
import { sealAuthorization } from './seal-authorization.ts'
import { requireSource } from './sources.ts'
import { countPieces, findPiece } from './store.ts'

export type Offer = { piece: string; url: string; authorization?: string | undefined }

/** Room on the disk that stays free for the database and trees. */
const spareBytes = 64 * MIB

/**
 * Takes a piece in, to be fetched: once, however often it is offered. One that failed or is damaged is fetched anew; one
 * that still waits is fetched from where the last offer says. Answers its CID as it is stored.
 *
 * @throws CairnError INVALID_PIECE_CID, PIECE_TOO_LARGE, SOURCE_NOT_ALLOWED, PROVIDER_FULL
 */
export async function takeOffer(context: Context, offer: Offer): Promise<string> {
  const { config, db, keys, clock } = context
  const { piece, cid } = readPiece(offer.piece)
  const { payloadBytes } = piece
  if (payloadBytes > config.payloadBytesMost) {
    throw new CairnError('PIECE_TOO_LARGE', { details: { limitBytes: config.payloadBytesMost } })
  }
  requireSource(config.sources, offer.url)
  const diskBytes = await freeBytes(config.home)
  const now = clock.now()
  const wish = {
    url: offer.url,
    authorization: offer.authorization === undefined ? null : sealAuthorization(keys.sealing, cid, offer.authorization),
    offered_at: now,
    tries: 0,
    next_try_at: now,
  }
  await db.write(async (trx) => {
    const row = await findPiece(trx, cid)
    if (row?.state === 'kept') return
    if (row?.state === 'queued') {
      // The time of an offer tells it from the one before: a try that was under way speaks for its own offer only.
      const offeredAt = Math.max(now, row.offered_at + 1)
      await trx
        .updateTable('piece')
        .set({ ...wish, offered_at: offeredAt })
        .where('cid', '=', cid)
        .execute()
      return
    }
    const { usedBytes, queuedBytes } = await countPieces(trx)
    const others = row?.state === 'damaged' ? usedBytes - payloadBytes : usedBytes
    const freeAfter = config.capacityBytes - others - payloadBytes
    // What waits has its room promised, though it is not on the disk yet.
    if (freeAfter < 0 || diskBytes - queuedBytes - payloadBytes < spareBytes) throw new CairnError('PROVIDER_FULL')
    const fresh = {
      state: 'queued',
      kept_since: null,
      error_code: null,
      error_message: null,
      checked_at: null,
    } as const
    if (row !== undefined) {
      await trx
        .updateTable('piece')
        .set({ ...wish, ...fresh })
        .where('cid', '=', cid)
        .execute()
      return
    }
    await trx
      .insertInto('piece')
      .values({ ...wish, ...fresh, cid, payload_bytes: payloadBytes, last_read_at: null })
      .execute()
  })
  return cid
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
