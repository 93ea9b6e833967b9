import { maxProofPieces } from '@cairn/protocol'
import type { CID } from 'multiformats/cid'
import type { Context } from '../context.ts'
import type { PiecePackRow, PieceRow } from '../pieces/pieces.ts'

/** Where a stored CID is placed: its pieces, that of the root block first. */
export type Placement = {
  readonly pieces: readonly { row: PieceRow; packs: readonly PiecePackRow[] }[]
  readonly block: { pack: PiecePackRow; offset: number; length: number } | undefined
  readonly waitingPacks: number
  readonly furtherPieces: number
}

/** Returns the placement of a CID, described from piece `from` on; undefined when it is not stored. */
export async function findPlacement({ db, packs }: Context, cid: CID, from = 0): Promise<Placement | undefined> {
  const [location] = await packs.locate([cid.multihash.bytes])
  if (location === undefined) return undefined
  // One of several uploads of the same content suffices: each needs all of it. Private ones are in no piece.
  const upload = await db.read
    .selectFrom('upload')
    .select('id')
    .where('root_multihash', '=', cid.multihash.bytes)
    .where('is_private', '=', 0)
    .limit(1)
    .executeTakeFirst()
  const uploadId = upload?.id ?? ''
  const found = await Promise.all([
    db.read.selectFrom('piece_pack').selectAll().where('pack_id', '=', location.packId).execute(),
    db.read
      .selectFrom('upload_pack')
      .innerJoin('piece_pack', 'piece_pack.pack_id', 'upload_pack.pack_id')
      .selectAll('piece_pack')
      .where('upload_pack.upload_id', '=', uploadId)
      .where('upload_pack.pack_id', '!=', location.packId)
      .orderBy('piece_pack.pack_id')
      .orderBy('piece_pack.pack_offset_bytes')
      .execute(),
  ])
  const known = found.flat()
  const needed = await db.read.selectFrom('upload_pack').select('pack_id').where('upload_id', '=', uploadId).execute()
  const packIds = new Set([location.packId, ...needed.map((row) => row.pack_id)])
  const own = known.find(
    (row) =>
      row.pack_id === location.packId &&
      location.offset >= row.pack_offset_bytes &&
      location.offset < row.pack_offset_bytes + row.size_bytes,
  )
  const ids = [...new Set([...(own === undefined ? [] : [own]), ...known].map((row) => row.piece_id))]
  const shown = ids.slice(from, from + maxProofPieces)
  const rows =
    shown.length === 0 ? [] : await db.read.selectFrom('piece').selectAll().where('id', 'in', shown).execute()
  const pieces = shown.flatMap((id) => {
    const row = rows.find((one) => one.id === id)
    return row === undefined ? [] : [{ row, packs: known.filter((pack) => pack.piece_id === id) }]
  })
  return {
    pieces,
    block: own === undefined ? undefined : { pack: own, offset: location.offset, length: location.length },
    waitingPacks: packIds.size - new Set(known.map((row) => row.pack_id)).size,
    furtherPieces: Math.max(0, ids.length - from - shown.length),
  }
}
