import { existsSync } from 'node:fs'
import { CairnError } from '@cairn/protocol'
import { refuseContraction } from '@cairn/service'
import type { StorageConfig } from '../config.ts'
import type { Clock } from '../context.ts'
import { type Database, migrations, openDatabase } from '../db/database.ts'
import type { Report } from '../maintenance/maintain.ts'

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
 * @throws CairnError INVALID_CONFIGURATION when there is no database, or this version would contract it; UNAVAILABLE
 */
export async function openAdminDatabase({ database }: Pick<StorageConfig, 'database'>): Promise<Database> {
  if (database.kind === 'sqlite' && !existsSync(database.path)) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `There is no database at ${database.path}`,
      hint: 'Run the command with the settings of the service. CAIRN_HOME sets the path.',
    })
  }
  await refuseContraction(database, migrations)
  return openDatabase(database)
}
