import { type Selectable, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'

export type PieceRow = Selectable<Schema['piece']>
export type PiecePackRow = Selectable<Schema['piece_pack']>
export type AggregateRow = Selectable<Schema['aggregate']>

/** Returns the packs that contain a range of a piece, in order. A piece may have many thousands of packs. */
export function findPacksIn(
  db: Database['read'],
  pieceId: string,
  { offset, length }: { offset: number; length: number },
): Promise<PiecePackRow[]> {
  return db
    .selectFrom('piece_pack')
    .selectAll()
    .where('piece_id', '=', pieceId)
    .where('offset_bytes', '<', offset + length)
    .where(
      'offset_bytes',
      '>=',
      sql<number>`(select coalesce(max(offset_bytes), 0) from piece_pack where piece_id = ${pieceId} and offset_bytes <= ${offset})`,
    )
    .orderBy('offset_bytes')
    .execute()
}

/** Returns the packs of all pieces of an aggregate, in order, by piece id. */
export async function findPacksOfAll(
  db: Database['read'],
  aggregateId: string,
): Promise<ReadonlyMap<string, PiecePackRow[]>> {
  const rows = await db
    .selectFrom('piece')
    .innerJoin('piece_pack', 'piece_pack.piece_id', 'piece.id')
    .selectAll('piece_pack')
    .where('piece.aggregate_id', '=', aggregateId)
    .orderBy('piece_pack.offset_bytes')
    .execute()
  return Map.groupBy(rows, (row) => row.piece_id)
}

/** Returns the pieces of an aggregate, in order. */
export function findPiecesOf(db: Database['read'], aggregateId: string): Promise<PieceRow[]> {
  return db.selectFrom('piece').selectAll().where('aggregate_id', '=', aggregateId).orderBy('position').execute()
}
