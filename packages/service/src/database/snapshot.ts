import type { DatabaseSettings } from './database.ts'
import type { Snapshot } from './snapshot-rows.ts'
import { openSqliteSnapshot } from './snapshot-sqlite.ts'

/**
 * Opens a snapshot of a database, which must exist. Hold it briefly: the database keeps what changes meanwhile.
 * @throws CairnError UNAVAILABLE
 */
export async function openSnapshot(settings: DatabaseSettings): Promise<Snapshot> {
  if (settings.kind === 'sqlite') return openSqliteSnapshot(settings.path)
  // The driver uses memory, so it loads on demand.
  const { openPostgresSnapshot } = await import('./snapshot-postgres.ts')
  return openPostgresSnapshot(settings.url)
}
