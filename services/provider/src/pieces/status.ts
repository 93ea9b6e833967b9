import type { CallResult, describeProvider, listPieces, PieceState, PieceStatus } from '@cairn/protocol'
import { CairnError, maxPieceListRows, maxPossessionLeaves } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { providerVersion } from '../version.ts'
import { challengesPerMinute } from './challenge.ts'
import { readPiece } from './read-piece.ts'
import { countPieces, findPiece, listRows, type PieceCounts, type PieceRow } from './store.ts'

/** Returns the state of a piece. @throws CairnError INVALID_PIECE_CID, PIECE_NOT_FOUND */
export async function describePiece(context: Context, text: string): Promise<PieceStatus> {
  const row = await findPiece(context.db.read, readPiece(text).cid)
  if (row === undefined) throw new CairnError('PIECE_NOT_FOUND')
  return describeRow(context, row)
}

async function describeRow({ pulling, files }: Context, row: PieceRow): Promise<PieceStatus> {
  const running = row.state === 'queued' ? pulling.get(row.cid) : undefined
  const receivedBytes = async (): Promise<number> => {
    if (row.state === 'failed') return 0
    if (row.state !== 'queued') return row.payload_bytes
    return running?.receivedBytes ?? files.partBytes(row.cid)
  }
  return {
    piece: row.cid,
    state: running === undefined ? row.state : 'pulling',
    payloadBytes: row.payload_bytes,
    receivedBytes: await receivedBytes(),
    keptSince: row.kept_since,
    lastError:
      row.error_code === null || row.error_message === null
        ? null
        : { code: row.error_code, message: row.error_message },
    lastReadAt: row.last_read_at,
    checkedAt: row.checked_at,
  }
}

const rowsUsual = 100
const allStates: readonly PieceState[] = ['queued', 'kept', 'failed', 'damaged']

/** Returns a page of pieces. @throws CairnError INVALID_PIECE_CID for an invalid `after` */
export async function listStatus(
  context: Context,
  {
    after,
    limit = rowsUsual,
    state,
  }: { after?: string | undefined; limit?: number | undefined; state?: PieceState | undefined },
): Promise<CallResult<typeof listPieces>> {
  const maxRows = Math.min(limit, maxPieceListRows)
  // A piece that is being fetched has the row of a waiting one.
  const states = state === undefined ? allStates : [state === 'pulling' ? 'queued' : state]
  const rows = await listRows(context.db.read, {
    after: after === undefined ? '' : readPiece(after).cid,
    limit: maxRows,
    states,
  })
  const pieces = await Promise.all(rows.map((row) => describeRow(context, row)))
  const last = rows.length === maxRows ? rows.at(-1)?.cid : undefined
  return {
    pieces: state === undefined ? pieces : pieces.filter((piece) => piece.state === state),
    ...(last === undefined ? {} : { next: last }),
  }
}

/** Counts pieces and bytes by state, with those being fetched counted separately from waiting ones. */
export async function countNow({ db, pulling }: Pick<Context, 'db' | 'pulling'>): Promise<PieceCounts> {
  const counts = await countPieces(db.read)
  const { pieces } = counts
  const running = Math.min(pulling.size, pieces.queued)
  return { ...counts, pieces: { ...pieces, queued: pieces.queued - running, pulling: running } }
}

/** Returns the provider's description of itself. */
export async function describeSelf(context: Context): Promise<CallResult<typeof describeProvider>> {
  const { config, id } = context
  const { usedBytes, pieces } = await countNow(context)
  return {
    name: config.name,
    id,
    version: providerVersion,
    capacityBytes: config.capacityBytes,
    usedBytes,
    pieces,
    limits: {
      maxPayloadBytes: config.maxPayloadBytes,
      maxPossessionLeaves,
      challengesPerMinute: challengesPerMinute * config.rateFactor,
      pullsAtOnce: config.pullsAtOnce,
    },
  }
}
