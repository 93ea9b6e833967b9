import { existsSync } from 'node:fs'
import { CairnError } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import type { StorageConfig } from '../config.ts'
import type { Clock } from '../context.ts'
import { type Database, openDatabase } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import type { Report } from '../maintenance/maintain.ts'
import { type AuditEntry, recordAction } from './audit.ts'

/** Context of a `cairn-admin` command. */
export type AdminContext = {
  readonly config: StorageConfig
  readonly db: Database
  readonly clock: Clock
  /** Whether the command only prints its changes. */
  readonly isDryRun: boolean
  readonly report: Report
}

/**
 * Opens the database of a service, whether or not it runs. Commands change rows in units of work, like another replica.
 * @throws CairnError INVALID_CONFIGURATION when there is no database, UNAVAILABLE
 */
export async function openAdminDatabase({ database }: Pick<StorageConfig, 'database'>): Promise<Database> {
  if (database.kind === 'sqlite' && !existsSync(database.path)) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `There is no database at ${database.path}`,
      hint: 'Run the command with the settings of the service. CAIRN_HOME sets the path.',
    })
  }
  return openDatabase(database)
}

/** Rolls back a unit of work whose result is only shown. */
class DryRun<T> extends Error {
  readonly result: T
  constructor(result: T) {
    super('a dry run')
    this.result = result
  }
}

/**
 * Runs one unit of work and adds its entry to the audit log, atomically. A dry run does the same and rolls back, so it
 * reports every error.
 * @param unit returns what is logged, or undefined if there was nothing to do
 */
export async function applyAction<Entry extends AuditEntry>(
  { db, clock, isDryRun }: AdminContext,
  unit: (trx: Kysely<Schema>) => Promise<Entry | undefined>,
): Promise<Entry | undefined> {
  try {
    return await db.write(async (trx) => {
      const entry = await unit(trx)
      if (entry !== undefined) await recordAction(trx, entry, clock.now())
      if (isDryRun) throw new DryRun(entry)
      return entry
    })
  } catch (error) {
    if (error instanceof DryRun) return error.result
    throw error
  }
}
