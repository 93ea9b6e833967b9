import { listContentWindows } from '@cairn/pieces'
import type { LeafWindow } from '@cairn/protocol'
import type { Database } from '../db/database.ts'
import { toPiece } from './make-aggregates.ts'
import { type AggregateRow, findPiecesOf } from './store.ts'

/**
 * Returns the leaves of an aggregate that hold content; undefined when it is ending and its pieces are moving to
 * another one.
 */
export async function findContent(db: Database['read'], aggregate: AggregateRow): Promise<LeafWindow[] | undefined> {
  const pieces = await findPiecesOf(db, aggregate.id)
  return pieces.length === aggregate.piece_count ? listContentWindows(pieces.map(toPiece)) : undefined
}
