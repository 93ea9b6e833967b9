import { listContentWindows } from '@cairn/pieces'
import type { LeafWindow } from '@cairn/protocol'
import type { Database } from '../db/database.ts'
import { toPiece } from './make-aggregates.ts'
import { type AggregateRow, findPiecesOf } from './store.ts'

/** The leaves of an aggregate that hold something; undefined where it is ending and its pieces are on their way into another. */
export async function findContent(db: Database['read'], aggregate: AggregateRow): Promise<LeafWindow[] | undefined> {
  const pieces = await findPiecesOf(db, aggregate.id)
  return pieces.length === aggregate.piece_count ? listContentWindows(pieces.map(toPiece)) : undefined
}
