import { openSqlite } from './sqlite.ts'
import { traceDatabase } from './trace-database.ts'
import type { BaseSchema, Database, DatabaseOptions, DatabaseSettings } from './types.ts'

export type { BaseSchema, Database, DatabaseOptions, DatabaseSettings } from './types.ts'

/**
 * Opens the database and migrates its tables.
 * @throws CairnError UNAVAILABLE; INVALID_CONFIGURATION for one whose schema this code cannot use, or that is
 * not durable
 */
export async function openDatabase<Schema extends BaseSchema>(
  settings: DatabaseSettings,
  options: DatabaseOptions,
): Promise<Database<Schema>> {
  if (settings.kind === 'sqlite') return traceDatabase(await openSqlite<Schema>(settings.path, options))
  // The driver uses memory, so it loads on demand.
  const { openPostgres } = await import('./postgres.ts')
  return traceDatabase(await openPostgres<Schema>(settings.url, options, settings.poolSize))
}
