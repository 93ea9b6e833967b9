import type { Kysely } from 'kysely'
import type { Database, QuietDatabase } from './types.ts'

/** Adds `onCommit` to a database. */
export function announceCommits<Schema>(database: QuietDatabase<Schema>): Database<Schema> {
  const listeners = new Set<() => void>()
  return {
    ...database,
    async write<T>(unit: (trx: Kysely<Schema>) => Promise<T>): Promise<T> {
      const result = await database.write(unit)
      for (const listener of listeners) listener()
      return result
    },
    onCommit(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
