import { type Aggregate, buildAggregate } from '@cairn/pieces'
import type { Database } from '../db/database.ts'
import { type DealRow, findDealsOf } from '../deals/deals.ts'
import { type AggregateRow, findPiecesOf, type PieceRow, toPiece } from '../pieces/pieces.ts'

/** Number of built aggregates kept in memory: each takes thousands of hashes to build. */
const aggregatesKept = 32

/** An aggregate with its proofs and deals. */
export type FoundAggregate = { row: AggregateRow; aggregate: Aggregate; deals: DealRow[] }

/** Returns the aggregate of a piece; undefined while it is in none, or in one that is ending. */
export type FindAggregate = (piece: PieceRow) => Promise<FoundAggregate | undefined>

/** Finds aggregates, and keeps the ones that it built last. */
export function createAggregateFinder(db: Database): FindAggregate {
  const built = new Map<string, Promise<Aggregate | undefined>>()

  // Cached as promises: concurrent callers wait for a single build.
  const build = (row: AggregateRow): Promise<Aggregate | undefined> => {
    const known = built.get(row.id)
    if (known !== undefined) return known
    const [oldest] = built.keys()
    if (built.size >= aggregatesKept && oldest !== undefined) built.delete(oldest)
    const building = findPiecesOf(db.read, row.id).then((pieces) =>
      // The pieces of an aggregate that is ending move to others one by one: the rest is not the aggregate.
      pieces.length === row.piece_count ? buildAggregate(pieces.map(toPiece)) : undefined,
    )
    built.set(row.id, building)
    building.then(
      (aggregate) => aggregate ?? built.delete(row.id),
      () => built.delete(row.id),
    )
    return building
  }

  return async (piece) => {
    if (piece.aggregate_id === null) return undefined
    const row = await db.read
      .selectFrom('aggregate')
      .selectAll()
      .where('id', '=', piece.aggregate_id)
      .executeTakeFirst()
    const aggregate = row === undefined ? undefined : await build(row)
    if (row === undefined || aggregate === undefined) return undefined
    return { row, aggregate, deals: await findDealsOf(db.read, row.id) }
  }
}
