import type { DatabaseSync } from 'node:sqlite'
import { CairnError } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import { ConflictError } from './conflict-error.ts'
import type { FileGuard } from './file-guard.ts'
import { runAgain } from './run-again.ts'
import { describeSqliteError } from './sqlite-errors.ts'

/** Maximum units per commit: limits how long the first of them waits for the last. */
const maxUnits = 512
/** Attempts to get the write lock while another process has it: some ten seconds. */
const lockTries = 80

type Waiting = { run(): Promise<void>; commit(): void; fail(error: unknown): void }
type Failed = { unit: Waiting; error: unknown }

/** Runs units of work on one connection, many per commit. */
export type GroupWriter<Schema> = {
  write<T>(unit: (trx: Kysely<Schema>) => Promise<T>): Promise<T>
  /** Waits for the units in progress; later ones fail. */
  close(): Promise<void>
  /** @throws CairnError UNAVAILABLE after the end of `close` */
  requireOpen(): void
}

/** Thrown to run a group again, with a savepoint for each unit. */
class UnitFailed extends Error {}

/**
 * Units queued in the same turn of the event loop share one BEGIN … COMMIT, and so one sync of the disk. All settle when the commit
 * is durable and its file is still in place, including those that failed, because the reason may be what another unit of the
 * group has written. A failed unit does not affect the others: the group runs again, with a savepoint for each unit. Units rarely
 * fail, and a savepoint costs a copy of every page that its unit changes, so groups run without them first.
 */
export function createGroupWriter<Schema>(
  database: DatabaseSync,
  kysely: Kysely<Schema>,
  guard: FileGuard,
): GroupWriter<Schema> {
  const queue: Waiting[] = []
  let draining: Promise<void> | undefined
  let isClosed = false

  /** SQLite removes its log when it is closed, which would look like a removed database to the guard. */
  const requireOpen = (): void => {
    if (isClosed) throw new CairnError('UNAVAILABLE', { message: 'The service is stopping' })
  }

  const execute = (sql: string): void => {
    try {
      database.exec(sql)
    } catch (error) {
      throw describeSqliteError(error)
    }
  }

  const rollBack = (): void => {
    // A full disk or a failed read makes SQLite end the transaction itself.
    if (!database.isTransaction) return
    try {
      database.exec('ROLLBACK')
    } catch {
      // All units of the group have received the underlying error; if it persists, the next BEGIN reports it.
    }
  }

  /**
   * Runs one unit, and adds it to those that are part of the group, or to those that failed.
   * @throws an error that affects the whole group
   */
  const runOne = async (unit: Waiting, hasSavepoint: boolean, group: Waiting[], failed: Failed[]): Promise<void> => {
    try {
      if (hasSavepoint) execute('SAVEPOINT unit')
      await unit.run()
      if (!database.isTransaction) throw new ConflictError('The transaction ended within a unit of work')
      if (hasSavepoint) execute('RELEASE unit')
      group.push(unit)
    } catch (error) {
      if (!database.isTransaction) {
        unit.fail(error)
        throw new ConflictError('The transaction ended within another unit of work', { cause: error })
      }
      failed.push({ unit, error })
      if (!hasSavepoint) throw new UnitFailed()
      execute('ROLLBACK TO unit; RELEASE unit')
    }
  }

  /** Runs queued units in one transaction. */
  const runGroup = async (hasSavepoints: boolean): Promise<void> => {
    try {
      guard.check()
      await runAgain(async () => execute('BEGIN IMMEDIATE'), lockTries)
    } catch (error) {
      for (const unit of queue.splice(0)) unit.fail(error)
      return
    }
    const group: Waiting[] = []
    const failed: Failed[] = []
    try {
      for (let count = 0; count < maxUnits; count++) {
        const unit = queue.shift()
        if (unit === undefined) break
        await runOne(unit, hasSavepoints, group, failed)
      }
      execute('COMMIT')
      guard.check()
    } catch (error) {
      rollBack()
      if (error instanceof UnitFailed && group.length > 0) {
        queue.unshift(...group, ...failed.map(({ unit }) => unit))
        return runGroup(true)
      }
      for (const unit of group) unit.fail(error)
      for (const { unit, error: reason } of failed) unit.fail(error instanceof UnitFailed ? reason : error)
      return
    }
    for (const unit of group) unit.commit()
    for (const { unit, error } of failed) unit.fail(error)
  }

  const drain = async (): Promise<void> => {
    try {
      while (queue.length > 0) {
        // Waits one turn, so that all units queued in it share the commit.
        await new Promise((resolve) => setImmediate(resolve))
        await runGroup(false)
      }
    } finally {
      draining = undefined
    }
  }

  const enqueue = <T>(unit: (trx: Kysely<Schema>) => Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      requireOpen()
      let result: T
      queue.push({
        run: async () => {
          result = await unit(kysely)
        },
        commit: () => resolve(result),
        fail: reject,
      })
      draining ??= drain()
    })

  return {
    write: (unit) => runAgain(() => enqueue(unit)),
    async close() {
      while (draining !== undefined) await draining
      isClosed = true
    },
    requireOpen,
  }
}
