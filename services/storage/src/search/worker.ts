import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { createLoop, type Worker, type WorkerClock } from '../workers/worker.ts'
import { columnOf, type IndexedRow, indexRows, indexStored } from './index-rows.ts'

/** Rows per unit of work: a few milliseconds of the database. */
const rowsAtOnce = 200
/** Pause after each unit of work, for requests. */
const pauseMs = 20
/** Interval between searches for rows without an index. Only older versions and other programs write such rows. */
const intervalMs = 60_000

type IndexContext = Pick<Context, 'db' | 'log' | 'failures'>

/** Indexes the names of uploads that were recorded without an index. */
export function createIndexWorker(context: IndexContext, clock: WorkerClock): Worker {
  const work = async (signal: AbortSignal): Promise<void> => {
    const rows = await indexPending(context, signal, () => clock.sleep(pauseMs, signal))
    if (rows > 0) context.log.info({ rows }, 'indexed names of uploads')
  }
  return createLoop('search', intervalMs, clock, work, (error) =>
    context.failures.failed('search', error, 'failed to index names of uploads'),
  )
}

/**
 * Indexes all rows without an index, a few per unit of work. Concurrent replicas take different rows. Returns how many.
 *
 * @param pause waits after each unit of work
 */
export async function indexPending(
  { db }: Pick<Context, 'db'>,
  signal: AbortSignal,
  pause = () => Promise.resolve(),
): Promise<number> {
  for (let total = 0; ; ) {
    const count = signal.aborted ? 0 : await db.write((trx) => indexSome(trx, db.kind))
    if (count === 0) return total
    total += count
    await pause()
  }
}

async function indexSome(trx: Kysely<Schema>, kind: Context['db']['kind']): Promise<number> {
  const pending = trx
    .selectFrom('upload')
    .select(['id', 'address', 'name', 'cid', 'created_at'])
    .where(columnOf(kind), 'is', null)
    .limit(rowsAtOnce)
  const rows: IndexedRow[] = await (kind === 'sqlite' ? pending : pending.forUpdate().skipLocked()).execute()
  const columns = await indexRows(trx, kind, rows)
  let count = 0
  for (const [at, row] of rows.entries()) {
    if (await indexStored(trx, row, columns[at])) count++
  }
  return count
}
