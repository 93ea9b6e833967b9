import type { DatabaseSync } from 'node:sqlite'
import type { Kysely } from 'kysely'
import { ConflictError } from './conflict-error.ts'
import type { FileGuard } from './file-guard.ts'
import { runAgain } from './run-again.ts'
import { describeSqliteError } from './sqlite-errors.ts'

/** Units in one commit: bounds how long the first of them waits for the last. */
const unitsMost = 512
/** Tries to get the write lock while another process holds it: some ten seconds. */
const lockTries = 80

type Waiting = { run(): Promise<void>; commit(): void; fail(error: unknown): void }

/** Runs units of work on one connection, many to a commit. */
export type GroupWriter<Schema> = {
  write<T>(unit: (trx: Kysely<Schema>) => Promise<T>): Promise<T>
  /** Waits for the units that are under way. */
  close(): Promise<void>
}

/**
 * Units that wait in the same turn of the event loop share one BEGIN … COMMIT, so one sync of the disk; each has a
 * savepoint of its own, so one that fails takes nothing of the others with it. A unit that fails hears so at once, the
 * others when the commit is durable and its file is still in its place.
 */
export function createGroupWriter<Schema>(
  database: DatabaseSync,
  kysely: Kysely<Schema>,
  guard: FileGuard,
): GroupWriter<Schema> {
  const queue: Waiting[] = []
  let draining: Promise<void> | undefined

  const execute = (sql: string): void => {
    try {
      database.exec(sql)
    } catch (error) {
      throw describeSqliteError(error)
    }
  }

  const rollBack = (): void => {
    // A full disk or a failed read makes SQLite end the transaction by itself.
    if (!database.isTransaction) return
    try {
      database.exec('ROLLBACK')
    } catch {
      // All units of the group have heard of the fault underneath; if it stays, the next BEGIN reports it.
    }
  }

  /** Runs one unit in its savepoint; true when it is part of the group. @throws what breaks the whole group. */
  const runOne = async (unit: Waiting): Promise<boolean> => {
    try {
      execute('SAVEPOINT unit')
      await unit.run()
      if (database.isTransaction) execute('RELEASE unit')
      else throw new ConflictError('The transaction ended within a unit of work')
      return true
    } catch (error) {
      unit.fail(error)
      if (!database.isTransaction) {
        throw new ConflictError('The transaction ended within another unit of work', { cause: error })
      }
      execute('ROLLBACK TO unit; RELEASE unit')
      return false
    }
  }

  const runGroup = async (): Promise<void> => {
    try {
      guard.check()
      await runAgain(async () => execute('BEGIN IMMEDIATE'), lockTries)
    } catch (error) {
      for (const unit of queue.splice(0)) unit.fail(error)
      return
    }
    const group: Waiting[] = []
    try {
      for (let count = 0; count < unitsMost; count++) {
        const unit = queue.shift()
        if (unit === undefined) break
        if (await runOne(unit)) group.push(unit)
      }
      execute('COMMIT')
      guard.check()
    } catch (error) {
      for (const unit of group) unit.fail(error)
      rollBack()
      return
    }
    for (const unit of group) unit.commit()
  }

  const drain = async (): Promise<void> => {
    try {
      while (queue.length > 0) {
        // One turn, so that all who come in it share the commit.
        await new Promise((resolve) => setImmediate(resolve))
        await runGroup()
      }
    } finally {
      draining = undefined
    }
  }

  const enqueue = <T>(unit: (trx: Kysely<Schema>) => Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
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
    },
  }
}
