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
  /** Leaves that hold content. Defaults to all. */
  content?: readonly LeafWindow[] | undefined
}

/** Disk space reserved for the database and trees. */
const spareBytes = 64 * MIB

/**
 * Accepts a piece for fetching; idempotent. A failed or damaged piece is fetched again; a waiting one is fetched from
 * the source of the last offer. Returns its canonical CID.
 *
 * @throws CairnError INVALID_PIECE_CID, PIECE_TOO_LARGE, SOURCE_NOT_ALLOWED, PROVIDER_FULL, INVALID_REQUEST for
 * leaves that the piece does not have
 */
export async function acceptOffer(context: Context, offer: Offer): Promise<string> {
  const { config, db, keys, clock } = context
  const { piece, cid } = readPiece(offer.piece)
  const { payloadBytes } = piece
  if (payloadBytes > config.maxPayloadBytes) {
    throw new CairnError('PIECE_TOO_LARGE', { details: { limitBytes: config.maxPayloadBytes } })
  }
  requireSource(config.sources, offer.url)
  const content = readContent(piece, offer.content)
  const contentBytes = countContent(content)
  const diskBytes = await freeBytes(config.home)
  const now = clock.now()
  const requested = {
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
    // Space for waiting pieces is reserved before it is used on disk.
    const promisedBytes = queuedBytes - (row?.state === 'queued' ? row.content_bytes : 0)
    const diskAfter = diskBytes - promisedBytes - contentBytes - levelsBytes(piece)
    // A waiting piece has its space already, unless it is offered with more content.
    const hasCapacity = row?.state === 'queued' && contentBytes <= row.content_bytes
    if (!hasCapacity && (freeAfter < 0 || diskAfter < spareBytes)) throw new CairnError('PROVIDER_FULL')
    if (row?.state === 'queued') {
      // The time identifies an offer: an attempt in progress reports only for its own offer.
      const offeredAt = Math.max(now, row.offered_at + 1)
      await trx
        .updateTable('piece')
        .set({ ...requested, offered_at: offeredAt })
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
        .set({ ...requested, ...fresh })
        .where('cid', '=', cid)
        .execute()
      return
    }
    await trx
      .insertInto('piece')
      .values({ ...requested, ...fresh, cid, payload_bytes: payloadBytes, last_read_at: null })
      .execute()
  })
  return cid
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
