import { CairnError } from '@cairn/protocol'
import { inspectDatabase } from './inspect.ts'
import type { Migration } from './migration.ts'
import type { DatabaseSettings } from './types.ts'

/**
 * Rejects a database that this version would contract when it opens it: the version that runs on it could not start again,
 * and a backup would be of no use to it. Changes nothing. A database without tables is accepted.
 * @throws CairnError INVALID_CONFIGURATION, UNAVAILABLE
 */
export async function refuseContraction(settings: DatabaseSettings, migrations: readonly Migration[]): Promise<void> {
  const { exists, migrations: done } = await inspectDatabase(settings)
  const due = migrations.find(({ name, change }) => change === 'contract' && !done.includes(name))
  if (!exists || due === undefined) return
  throw new CairnError('INVALID_CONFIGURATION', {
    message: `This version is newer than the database: it would run the migration ${due.name}, after which earlier versions cannot start`,
    hint: 'Use the command of the version that runs the service. To upgrade, back up with that command, then start this version. See docs/operate/upgrade.md.',
  })
}
