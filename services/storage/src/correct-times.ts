import { createSettledClock } from '@cairn/service'
import { type RawBuilder, sql } from 'kysely'
import type { StorageConfig } from './config.ts'
import type { Context } from './context.ts'
import { lastingOwner } from './ledger/ledger.ts'
import { createLoop, type Worker, type WorkerClock } from './workers/worker.ts'

/** Pause between rounds, and thus how long work may wait after the clock was set back. */
const intervalMs = 10 * 60_000
/** Pause between checks of columns without an index, which read all rows and stop a large service for a moment. */
const scanIntervalMs = 24 * 3_600_000
/**
 * How far ahead of the clock a time can be: longer than the pauses after failed attempts, of at most 72 minutes, and the differences
 * between the clocks of replicas.
 */
const maxAheadMs = 3 * 3_600_000
/** How far the clock may differ from that of the database. */
const maxDifferenceMs = 3_600_000

type TimeColumn = {
  readonly table: string
  readonly column: string
  /** The rows whose work may still be due. */
  readonly where?: RawBuilder<boolean>
  /** How much further ahead a time can be: ms, or a column with them. */
  readonly more?: (config: StorageConfig) => number | RawBuilder<number>
  /** Whether no index has the column, in a table that may be large. */
  readonly isScanned?: true
}

// Literals, because only then do the databases use the indexes of these rows.
const isActiveDeal = sql<boolean>`state in ('queued', 'offered', 'kept', 'proving')`

/** The times that work is due at, or was last done at. It waits for the clock to reach them, or to be past them by an interval. */
const timeColumns: readonly TimeColumn[] = [
  { table: 'pin', column: 'next_at', where: sql`status in ('queued', 'pinning')` },
  { table: 'webhook_delivery', column: 'next_at', where: sql`state = 'pending'` },
  { table: 'announcement', column: 'due_at' },
  { table: 'handed_root', column: 'due_at' },
  { table: 'ipns_name', column: 'renew_at', more: () => sql`lifetime_ms` },
  { table: 'reservation', column: 'expires_at', where: sql`process_id <> ${lastingOwner}` },
  { table: 'doomed_object', column: 'created_at', more: ({ packGraceMs }) => packGraceMs },
  { table: 'pack', column: 'scrubbed_at' },
  { table: 'piece', column: 'created_at', where: sql`aggregate_id is null` },
  { table: 'webhook', column: 'failing_since' },
  { table: 'chain_cursor', column: 'checked_at' },
  { table: 'aggregate', column: 'place_at' },
  { table: 'aggregate', column: 'looked_at' },
  { table: 'deal', column: 'next_at', where: isActiveDeal, more: ({ deals }) => deals.challengeMs },
  { table: 'deal', column: 'kept_at', where: isActiveDeal, isScanned: true },
  { table: 'deal', column: 'proven_at', where: isActiveDeal, isScanned: true },
  // Of deals that ended too: their providers are not chosen again for a while.
  { table: 'deal', column: 'since', isScanned: true },
]
/** Content is withdrawn at the negative of these times. */
const withdrawalTables = ['announcement', 'handed_root'] as const

/**
 * Replaces times that no right clock can have stored by the time of now. They were stored while a clock was ahead: once it is set
 * back, pins, deliveries, withdrawals and challenges would otherwise wait until it gets there again.
 * @param scans whether columns without an index are checked, too
 * @returns the number of replaced times; undefined if the clock differs from that of the database, and nothing was replaced
 */
export async function correctTimes(
  { db, clock, config }: Pick<Context, 'db' | 'clock' | 'config'>,
  scans = true,
): Promise<number | undefined> {
  if (!(await isSynchronised({ db, clock }))) return undefined
  const now = clock.now()
  const replace = async (table: string, column: string, value: number, isAhead: RawBuilder<boolean>) => {
    const { rows } = await sql`select 1 from ${sql.table(table)} where ${isAhead} limit 1`.execute(db.read)
    if (rows.length === 0) return 0
    const change = sql`update ${sql.table(table)} set ${sql.ref(column)} = ${value} where ${isAhead}`
    const { numAffectedRows } = await db.write((trx) => change.execute(trx))
    return Number(numAffectedRows ?? 0)
  }
  let replaced = 0
  for (const { table, column, where = sql`true`, more = () => 0, isScanned = false } of timeColumns) {
    if (isScanned && !scans) continue
    const time = sql.ref(column)
    const latest = now + maxAheadMs
    const further = more(config)
    const limit = typeof further === 'number' ? sql`${latest + further}` : sql`${latest} + ${further}`
    replaced += await replace(table, column, now, sql`${time} > ${latest} and ${time} > ${limit} and ${where}`)
  }
  for (const table of withdrawalTables) {
    replaced += await replace(table, 'due_at', -now, sql`due_at < ${-(now + maxAheadMs)}`)
  }
  return replaced
}

/** A replica whose clock is behind would take the right times of others for wrong ones. A SQLite database has no other clock. */
async function isSynchronised({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<boolean> {
  if (db.kind === 'sqlite') return true
  const query = sql<{ ms: number }>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`
  const { rows } = await query.execute(db.read)
  return Math.abs((rows[0]?.ms ?? 0) - clock.now()) <= maxDifferenceMs
}

/**
 * Returns the worker that corrects times, on every replica, as soon as its process had time to synchronise its clock.
 * @param elapsed ms of a clock that is never set
 */
export function createTimesWorker(
  context: Pick<Context, 'db' | 'clock' | 'config' | 'failures' | 'log'>,
  clock: WorkerClock,
  elapsed?: () => number,
): Worker {
  const settled = createSettledClock(clock, elapsed)
  /** Rounds until the next scan. */
  let beforeScan = 0
  const round = async (): Promise<void> => {
    if (settled.now() === undefined) return
    const times = await correctTimes(context, beforeScan === 0)
    if (times !== undefined) beforeScan = beforeScan === 0 ? scanIntervalMs / intervalMs - 1 : beforeScan - 1
    if (times === undefined) context.log.warn('the clock differs from that of the database by more than an hour')
    else if (times > 0) context.log.warn({ times }, 'corrected times that were stored while a clock was ahead')
  }
  return createLoop('correct-times', intervalMs, clock, round, (error) =>
    context.failures.failed('correct-times', error, 'worker failed', { worker: 'correct-times' }),
  )
}
