import { announceCommits } from './announce-commits.ts'
import { openSqlite } from './sqlite.ts'
import { traceDatabase } from './trace-database.ts'
import type { BaseSchema, Database, DatabaseOptions, DatabaseSettings, QuietDatabase } from './types.ts'

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
  return announceCommits(traceDatabase(await openQuiet<Schema>(settings, options)))
}

async function openQuiet<Schema extends BaseSchema>(
  settings: DatabaseSettings,
  options: DatabaseOptions,
): Promise<QuietDatabase<Schema>> {
  if (settings.kind === 'sqlite') return openSqlite<Schema>(settings.path, options)
  // The driver uses memory, so it loads on demand.
  const { openPostgres } = await import('./postgres.ts')
  return openPostgres<Schema>(settings.url, options, settings.poolSize)
}
