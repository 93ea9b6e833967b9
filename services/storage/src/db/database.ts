import type { Kysely } from 'kysely'
import { openPostgres } from './postgres.ts'
import type { Schema } from './schema.ts'
import { openSqlite } from './sqlite.ts'

/** Where the rows are. */
export type DatabaseSettings =
  | { kind: 'sqlite'; path: string }
  | { kind: 'postgres'; url: string; poolSize?: number | undefined }

/** The rows of the service, on SQLite or PostgreSQL. */
export type Database = {
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
export function openDatabase(settings: DatabaseSettings): Promise<Database> {
  return settings.kind === 'sqlite' ? openSqlite(settings.path) : openPostgres(settings.url, settings.poolSize)
}
