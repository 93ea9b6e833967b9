import { randomUUID } from 'node:crypto'
import { type Aggregate, aggregateHeightFor, buildAggregate, encodePieceCid, paddedBytesOf } from '@cairn/pieces'
import { CairnError, maxLeafWindows } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { dropPiece } from './drop-piece.ts'
import type { PieceRow } from './store.ts'

/** Maximum number of pieces per aggregate: a challenge has a window for each, and one for the index. */
const maxPieces = maxLeafWindows - 1

/** Creates aggregates from pieces that have waited long enough or are large enough together; returns their number. */
export async function makeAggregates(context: Context, signal: AbortSignal): Promise<number> {
  let made = 0
  for (;;) {
    const waiting = await findWaiting(context)
    const ripe = [...Map.groupBy(waiting, ({ copies }) => copies).values()].flatMap((pieces) => {
      const some = selectRipe(pieces, context)
      return some.length === 0 ? [] : [some]
    })
    for (const pieces of ripe) {
      signal.throwIfAborted()
      await makeAggregate(context, pieces)
      made++
    }
    if (ripe.length === 0) return made
  }
}

function findWaiting({ db }: Context): Promise<PieceRow[]> {
  return db.read
    .selectFrom('piece')
    .selectAll()
    .where('aggregate_id', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(maxPieces)
    .execute()
}

/** Returns the oldest pieces that fit into one aggregate of the target size; none while it is too early. */
function selectRipe(pieces: readonly PieceRow[], { config, clock }: Context): PieceRow[] {
  const { targetBytes, waitMs } = config.deals
  let paddedBytes = 0
  const taken: PieceRow[] = []
  for (const piece of pieces) {
    const more = paddedBytes + paddedBytesOf(piece)
    const height = aggregateHeightFor(more, taken.length + 1)
    if (taken.length > 0 && paddedBytesOf({ height }) > targetBytes) break
    paddedBytes = more
    taken.push(piece)
  }
  const isFull = taken.length < pieces.length || taken.length === maxPieces
  // The pack of a piece waited before, for at most half the time.
  const isOld = (pieces[0]?.created_at ?? Number.POSITIVE_INFINITY) <= clock.now() - waitMs / 2
  return isFull || isOld ? taken : []
}

async function makeAggregate(context: Context, pieces: readonly PieceRow[]): Promise<void> {
  const { db, clock } = context
  const whole: PieceRow[] = []
  for (const piece of pieces) {
    if (await hasAllPacks(context, piece)) whole.push(piece)
    // Deleted pieces take no space; the packs next to them become a new piece.
    else await dropPiece(context, piece)
  }
  if (whole.length === 0) return
  const aggregate: Aggregate = buildAggregate(whole.map(toPiece))
  const id = randomUUID()
  await db.write(async (trx) => {
    await trx
      .insertInto('aggregate')
      .values({
        id,
        cid: encodePieceCid(aggregate.piece),
        root: aggregate.piece.root,
        height: aggregate.piece.height,
        piece_count: whole.length,
        copies: whole[0]?.copies ?? 1,
        state: 'live',
        created_at: clock.now(),
        looked_at: 0,
        place_at: clock.now(),
      })
      .execute()
    for (const [position, piece] of whole.entries()) {
      const { numUpdatedRows } = await trx
        .updateTable('piece')
        .set({ aggregate_id: id, position })
        .where('id', '=', piece.id)
        .where('aggregate_id', 'is', null)
        .executeTakeFirstOrThrow()
      if (Number(numUpdatedRows) !== 1) {
        throw new CairnError('CONFLICT', { message: 'Another replica put this piece into an aggregate' })
      }
    }
  })
}

/** Converts a row for the pieces package. */
export function toPiece(row: Pick<PieceRow, 'root' | 'height' | 'payload_bytes'>) {
  return { root: row.root, height: row.height, payloadBytes: row.payload_bytes }
}

async function hasAllPacks({ db }: Context, piece: PieceRow): Promise<boolean> {
  const row = await db.read
    .selectFrom('piece_pack')
    .leftJoin('pack', (join) => join.onRef('pack.id', '=', 'piece_pack.pack_id').on('pack.state', '=', 'live'))
    .select(({ fn }) => [fn.count<number>('piece_pack.pack_id').as('all'), fn.count<number>('pack.id').as('there')])
    .where('piece_pack.piece_id', '=', piece.id)
    .executeTakeFirstOrThrow()
  return Number(row.all) === Number(row.there)
}
