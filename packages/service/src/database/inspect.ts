import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describeFailedFile } from './sqlite-errors.ts'
import type { DatabaseSettings, MigrationRow } from './types.ts'

/** The state of a database, read without changing it. */
export type DatabaseState = {
  /** Whether any migration has run. */
  readonly exists: boolean
  /** Names of the migrations that have run. */
  readonly migrations: readonly string[]
  /** Those of them that only expanded the schema: an older version runs on it. */
  readonly expansions: readonly string[]
}

/**
 * Looks which migrations a database has. Changes nothing, and makes no file.
 * @throws CairnError UNAVAILABLE
 */
export async function inspectDatabase(settings: DatabaseSettings): Promise<DatabaseState> {
  if (settings.kind === 'postgres') {
    const { inspectPostgres } = await import('./inspect-postgres.ts')
    return toState(await inspectPostgres(settings.url))
  }
  if (!existsSync(settings.path)) return toState([])
  try {
    using database = new DatabaseSync(settings.path, { readOnly: true, timeout: 2000 })
    const table = database.prepare("select name from sqlite_master where type = 'table' and name = 'migration'").get()
    if (table === undefined) return toState([])
    return toState(
      database
        .prepare('select * from migration order by name')
        .all()
        .map(({ name, change }) => ({ name: String(name), change: String(change) })),
    )
  } catch (error) {
    throw describeFailedFile(settings.path, error)
  }
}

function toState(rows: readonly MigrationRow[]): DatabaseState {
  const expansions = rows.filter(({ change }) => change === 'expand').map(({ name }) => name)
  return { exists: rows.length > 0, migrations: rows.map(({ name }) => name), expansions }
}
