import type { Kysely } from 'kysely'
import type { ReadinessPurpose } from '../readiness.ts'
import type { Migration } from './migration.ts'

/** Location of the rows. */
export type DatabaseSettings =
  | { kind: 'sqlite'; path: string }
  | { kind: 'postgres'; url: string; poolSize?: number | undefined }

/** The table in every schema: the migrations that have run. */
export type BaseSchema = { migration: { name: string; applied_at: number } }

/** Tables of a service. */
export type DatabaseOptions = {
  /** All migrations, in order. Names never change once released. */
  migrations: readonly Migration[]
  /** Columns with integers beyond 2^53, which stay bigints. */
  bigintColumns?: readonly string[]
}

/** The rows of a service, on SQLite or PostgreSQL. */
export type Database<Schema> = {
  readonly kind: 'sqlite' | 'postgres'
  /**
   * Single read statements. On SQLite it cannot write.
   * @throws CairnError UNAVAILABLE
   */
  readonly read: Kysely<Schema>
  /**
   * Runs one unit of work, atomic and durable when the promise resolves. It may run again after a conflict (at most 5
   * times, with jitter), so it must have no side effects; and it should wait only for `trx`, because all other units
   * wait for it on SQLite. Another unit may change what it read before it writes (PostgreSQL runs READ COMMITTED): put
   * the condition into the UPDATE.
   * @throws the error of the unit; CairnError CONFLICT after the last attempt, UNAVAILABLE, STORAGE_FULL
   */
  write<T>(unit: (trx: Kysely<Schema>) => Promise<T>): Promise<T>
  /**
   * Resolves when the database answers.
   * @param purpose `reads` also accepts a PostgreSQL that rejects writes, such as a standby. Defaults to `all`
   * @throws CairnError UNAVAILABLE
   */
  ping(purpose?: ReadinessPurpose): Promise<void>
  /**
   * Calls `listener`, which must not throw, after each unit of work of this process. Changes by other processes are not
   * announced.
   * @returns removes the listener
   */
  onCommit(listener: () => void): () => void
  /** Counts the connections of the pool; undefined on SQLite. */
  readonly connections?: () => { used: number; idle: number; waiting: number }
  /** Waits for the units in progress and closes the connections. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A database that announces no commits. */
export type QuietDatabase<Schema> = Omit<Database<Schema>, 'onCommit'>

/** A row of the migrations; databases of the first versions have no `change`. */
export type MigrationRow = { name: string; change?: string | null }
