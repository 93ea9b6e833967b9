import { statfs } from 'node:fs/promises'
import { CairnError, type LeafWindow, MIB } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { countContent, encodeContent, readContent } from './content-ranges.ts'
import { readPiece } from './read-piece.ts'
import { sealAuthorization } from './seal-authorization.ts'
import { requireSource } from './sources.ts'
import { countPieces, findPiece } from './store.ts'
import { levelsBytes } from './tree-levels.ts'

export type Offer = {
  piece: string
  url: string
  authorization?: string | undefined
  /** Leaves that hold something; all unless told. */
  content?: readonly LeafWindow[] | undefined
}

/** Room on the disk that stays free for the database and trees. */
const spareBytes = 64 * MIB

/**
 * Takes a piece in, to be fetched: once, however often it is offered. One that failed or is damaged is fetched anew; one
 * that still waits is fetched from where the last offer says. Answers its CID as it is stored.
 *
 * @throws CairnError INVALID_PIECE_CID, PIECE_TOO_LARGE, SOURCE_NOT_ALLOWED, PROVIDER_FULL, INVALID_REQUEST for leaves
 *   that the piece does not have
 */
export async function takeOffer(context: Context, offer: Offer): Promise<string> {
  const { config, db, keys, clock } = context
  const { piece, cid } = readPiece(offer.piece)
  const { payloadBytes } = piece
  if (payloadBytes > config.payloadBytesMost) {
    throw new CairnError('PIECE_TOO_LARGE', { details: { limitBytes: config.payloadBytesMost } })
  }
  requireSource(config.sources, offer.url)
  const content = readContent(piece, offer.content)
  const contentBytes = countContent(content)
  const diskBytes = await freeBytes(config.home)
  const now = clock.now()
  const wish = {
    url: offer.url,
    authorization: offer.authorization === undefined ? null : sealAuthorization(keys.sealing, cid, offer.authorization),
    offered_at: now,
    tries: 0,
    next_try_at: now,
    content: encodeContent(content),
    content_bytes: contentBytes,
  }
  await db.write(async (trx) => {
    const row = await findPiece(trx, cid)
    if (row?.state === 'kept') return
    const { usedBytes, queuedBytes } = await countPieces(trx)
    const isCounted = row !== undefined && row.state !== 'failed'
    const freeAfter = config.capacityBytes - (usedBytes - (isCounted ? row.content_bytes : 0)) - contentBytes
    // What waits has its room promised, though it is not on the disk yet.
    const promisedBytes = queuedBytes - (row?.state === 'queued' ? row.content_bytes : 0)
    const diskAfter = diskBytes - promisedBytes - contentBytes - levelsBytes(piece)
    // A piece that waits has its room already, unless it is offered with more.
    const hasRoom = row?.state === 'queued' && contentBytes <= row.content_bytes
    if (!hasRoom && (freeAfter < 0 || diskAfter < spareBytes)) throw new CairnError('PROVIDER_FULL')
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
