import { type AuditEntry, recordAction } from './audit.ts'

/** The log is written in the transaction of its action. */
type Executor = Parameters<typeof recordAction>[0]

/** Context of an action: the database, and whether the command only prints its changes. */
export type ActionContext<Trx extends Executor> = {
  readonly db: { write<T>(unit: (trx: Trx) => Promise<T>): Promise<T> }
  readonly clock: { now(): number }
  readonly isDryRun: boolean
}

/** Rolls back a unit of work whose result is only shown. */
class DryRun<T> extends Error {
  readonly result: T
  constructor(result: T) {
    super('a dry run')
    this.result = result
  }
}

/**
 * Runs one unit of work and adds its entry to the audit log, atomically. A dry run does the same and rolls back, so it
 * reports every error.
 * @param unit returns what is logged, or undefined if there was nothing to do
 */
export async function applyAction<Trx extends Executor, Entry extends AuditEntry>(
  { db, clock, isDryRun }: ActionContext<Trx>,
  unit: (trx: Trx) => Promise<Entry | undefined>,
): Promise<Entry | undefined> {
  try {
    return await db.write(async (trx) => {
      const entry = await unit(trx)
      if (entry !== undefined) await recordAction(trx, entry, clock.now())
      if (isDryRun) throw new DryRun(entry)
      return entry
    })
  } catch (error) {
    if (error instanceof DryRun) return error.result
    throw error
  }
}
