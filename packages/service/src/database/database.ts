import type { Kysely } from 'kysely'
import type { Migration } from './migration.ts'
import { openSqlite } from './sqlite.ts'

/** Where the rows are. */
export type DatabaseSettings =
  | { kind: 'sqlite'; path: string }
  | { kind: 'postgres'; url: string; poolSize?: number | undefined }

/** The table that every schema has: which migrations have run. */
export type BaseSchema = { migration: { name: string; applied_at: number } }

/** What a service says of its tables. */
export type DatabaseOptions = {
  /** All migrations, in order. Names never change once released. */
  migrations: readonly Migration[]
  /** Columns whose integers pass 2^53 and stay bigints. */
  bigintColumns?: readonly string[]
}

/** The rows of a service, on SQLite or PostgreSQL. */
export type Database<Schema> = {
  readonly kind: 'sqlite' | 'postgres'
  /** Single statements that read. On SQLite it cannot write. @throws CairnError UNAVAILABLE */
  readonly read: Kysely<Schema>
  /**
   * One unit of work, atomic and durable when the promise resolves. It may be run again after a conflict (at most 5
   * times, with jitter), so it must have no side effects of its own; and it should wait for nothing but `trx`, for all
   * other units wait for it on SQLite. What one unit reads may be changed by another before it writes (PostgreSQL runs
   * READ COMMITTED): put the condition into the UPDATE.
   * @throws what the unit throws; CairnError CONFLICT after the last try, UNAVAILABLE, STORAGE_FULL
   */
  write<T>(unit: (trx: Kysely<Schema>) => Promise<T>): Promise<T>
  /** Resolves when the database answers. @throws CairnError UNAVAILABLE */
  ping(): Promise<void>
  /** Waits for the units under way and closes the connections. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Opens the database and brings its tables up to date.
 * @throws CairnError UNAVAILABLE; INVALID_CONFIGURATION for one that is newer than this code or would not keep data.
 */
export async function openDatabase<Schema extends BaseSchema>(
  settings: DatabaseSettings,
  options: DatabaseOptions,
): Promise<Database<Schema>> {
  if (settings.kind === 'sqlite') return openSqlite<Schema>(settings.path, options)
  // Its driver takes memory that only those who use it should spend.
  const { openPostgres } = await import('./postgres.ts')
  return openPostgres<Schema>(settings.url, options, settings.poolSize)
}
