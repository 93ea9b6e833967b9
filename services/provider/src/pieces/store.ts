import { CairnError, type PieceState } from '@cairn/protocol'
import { type Kysely, sql } from 'kysely'
import type { PieceTable, Schema } from '../db/schema.ts'

/** A stored row. Whether a queued piece is being fetched is known from the running pulls, not from its row. */
export type PieceRow = PieceTable
type Reader = Kysely<Schema>

export type PieceCounts = { usedBytes: number; queuedBytes: number; pieces: Record<PieceState, number> }

export function findPiece(db: Reader, cid: string): Promise<PieceRow | undefined> {
  return db.selectFrom('piece').selectAll().where('cid', '=', cid).executeTakeFirst()
}

/** Returns a kept, undamaged piece. @throws CairnError PIECE_NOT_FOUND with its state, PIECE_DAMAGED */
export async function requireKept(db: Reader, cid: string): Promise<PieceRow> {
  const row = await findPiece(db, cid)
  if (row?.state === 'damaged') throw new CairnError('PIECE_DAMAGED')
  if (row?.state !== 'kept') {
    throw new CairnError('PIECE_NOT_FOUND', row === undefined ? {} : { details: { state: row.state } })
  }
  return row
}

/** Counts pieces and bytes by state. Failed pieces have no bytes. */
export async function countPieces(db: Reader): Promise<PieceCounts> {
  const rows = await db
    .selectFrom('piece')
    .select(['state', (e) => e.fn.countAll<number>().as('count'), (e) => e.fn.sum<number>('content_bytes').as('bytes')])
    .groupBy('state')
    .execute()
  const pieces = { queued: 0, pulling: 0, kept: 0, failed: 0, damaged: 0 }
  let usedBytes = 0
  let queuedBytes = 0
  for (const { state, count, bytes } of rows) {
    pieces[state] = count
    if (state !== 'failed') usedBytes += bytes
    if (state === 'queued') queuedBytes += bytes
  }
  return { usedBytes, queuedBytes, pieces }
}

/** Returns a page of pieces in CID order. */
export function listRows(
  db: Reader,
  { after, limit, states }: { after: string; limit: number; states: readonly PieceState[] },
): Promise<PieceRow[]> {
  return db
    .selectFrom('piece')
    .selectAll()
    .where('cid', '>', after)
    .where('state', 'in', states)
    .orderBy('cid')
    .limit(limit)
    .execute()
}

/** Returns the piece whose next attempt has been due longest, except those in `running`. */
export function nextToPull(db: Reader, running: readonly string[]): Promise<PieceRow | undefined> {
  return db
    .selectFrom('piece')
    .selectAll()
    .where('state', '=', 'queued')
    .$if(running.length > 0, (query) => query.where('cid', 'not in', running))
    .orderBy('next_try_at')
    .limit(1)
    .executeTakeFirst()
}

/**
 * Returns the piece with the oldest full read, if that was before the given time. If there is none, returns one whose full read is
 * later than now: the clock was ahead then.
 */
export async function nextToScrub(
  db: Reader,
  { before, now }: { before: number; now: number },
): Promise<PieceRow | undefined> {
  const kept = db.selectFrom('piece').selectAll().where('state', '=', 'kept').orderBy('checked_at').limit(1)
  const oldest = await kept.where('checked_at', '<', before).executeTakeFirst()
  return oldest ?? (await kept.where('checked_at', '>', now).executeTakeFirst())
}

export async function recordKept(db: Reader, cid: string, now: number): Promise<void> {
  await db
    .updateTable('piece')
    .set({
      state: 'kept',
      authorization: null,
      tries: 0,
      kept_since: now,
      checked_at: now,
      error_code: null,
      error_message: null,
    })
    .where('cid', '=', cid)
    .where('state', '=', 'queued')
    .execute()
}

/** Records a piece that is on the disk without a row. It is due to be read in full. */
export async function recordFound(
  db: Reader,
  { cid, payloadBytes, usedBytes }: { cid: string; payloadBytes: number; usedBytes: number },
  keptSince: number,
): Promise<void> {
  const found = {
    state: 'kept',
    payload_bytes: payloadBytes,
    content: null,
    content_bytes: usedBytes,
    url: '',
    authorization: null,
    offered_at: keptSince,
    tries: 0,
    next_try_at: keptSince,
    kept_since: keptSince,
    error_code: null,
    error_message: null,
    last_read_at: null,
    checked_at: 0,
  } as const
  await db
    .insertInto('piece')
    .values({ cid, ...found })
    .onConflict((conflict) => conflict.column('cid').doUpdateSet(found))
    .execute()
}

/**
 * Records why an attempt failed and when the next is due; without one the piece has failed. Has no effect when the
 * piece was offered again.
 */
export async function recordFailedTry(
  db: Reader,
  { cid, offered_at }: PieceRow,
  { tries, failure, nextTryAt }: { tries: number; failure: CairnError; nextTryAt: number | undefined },
): Promise<void> {
  await db
    .updateTable('piece')
    .set({
      error_code: failure.code,
      error_message: failure.message,
      tries,
      ...(nextTryAt === undefined ? { state: 'failed', authorization: null } : { next_try_at: nextTryAt }),
    })
    .where('cid', '=', cid)
    .where('offered_at', '=', offered_at)
    .where('state', '=', 'queued')
    .execute()
}

/**
 * Marks a kept piece as damaged, unless it was removed or fetched again since the row was read. Returns whether it
 * did.
 */
export async function recordDamage(db: Reader, { cid, kept_since }: PieceRow, message: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('piece')
    .set({ state: 'damaged', error_code: 'PIECE_DAMAGED', error_message: message })
    .where('cid', '=', cid)
    .where('state', '=', 'kept')
    .where('kept_since', '=', kept_since)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Records when a piece was read, to within a minute. */
export async function recordRead(db: Reader, cid: string, now: number): Promise<void> {
  await db
    .updateTable('piece')
    .set({ last_read_at: now })
    .where('cid', '=', cid)
    .where((e) => e.or([e('last_read_at', 'is', null), e('last_read_at', '<', now - 60_000)]))
    .execute()
}

export async function recordChecked(db: Reader, cid: string, now: number): Promise<void> {
  await db.updateTable('piece').set({ checked_at: now }).where('cid', '=', cid).where('state', '=', 'kept').execute()
}

/** Records the owner of the rows at the first start. Returns the recorded owner. */
export async function claimRows(db: Reader, publicKey: string): Promise<string | undefined> {
  await sql`insert into provider (id, public_key) values (1, ${publicKey}) on conflict (id) do nothing`.execute(db)
  const row = await db.selectFrom('provider').select('public_key').where('id', '=', 1).executeTakeFirst()
  return row?.public_key
}
