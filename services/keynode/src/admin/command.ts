import { existsSync } from 'node:fs'
import { CairnError } from '@cairn/protocol'
import { refuseContraction } from '@cairn/service'
import type { ToolCommand, ToolInput } from '@cairn/service/admin'
import type { BackupSettings } from '@cairn/service/backup'
import type { KeyNodeConfig } from '../config.ts'
import type { Clock } from '../context.ts'
import { type Database, migrations, openDatabase } from '../db/database.ts'

/** Input of a command. Settings are read by the commands that need them: a machine that only verifies has few. */
export type CommandInput = ToolInput & {
  /**
   * Reads the settings of the node.
   * @param secret used if the settings name none
   * @throws CairnError INVALID_CONFIGURATION
   */
  readConfig(secret?: string): { config: KeyNodeConfig; hasSecret: boolean }
  /** Reads only the settings of backups. @throws CairnError INVALID_CONFIGURATION */
  readBackupConfig(): BackupSettings
}

/** A command of `cairn-keynode-admin`. */
export type Command = ToolCommand<CommandInput>

/** The context of a command. */
export type CommandContext = {
  readonly config: KeyNodeConfig
  readonly db: Database
  readonly clock: Clock
  readonly isDryRun: boolean
}

/**
 * Runs work on the database of the node, whether or not it runs.
 * @throws CairnError INVALID_CONFIGURATION when there is no database, or this version would contract it; UNAVAILABLE
 */
export async function withDatabase(
  { readConfig, isDryRun }: CommandInput,
  work: (context: CommandContext) => Promise<boolean>,
): Promise<boolean> {
  const { config } = readConfig()
  const { database } = config
  if (database.kind === 'sqlite' && !existsSync(database.path)) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `There is no database at ${database.path}`,
      hint: 'Run the command with the settings of the key node. CAIRN_KEYNODE_HOME sets the path.',
    })
  }
  await refuseContraction(database, migrations)
  await using db = await openDatabase(database)
  // Awaited here, so that the database stays open until the work is done.
  return await work({ config, db, clock: { now: () => Date.now() }, isDryRun })
}

/** The error of a command whose database no key node has used. */
export function unusedDatabase(): CairnError {
  return new CairnError('INVALID_CONFIGURATION', {
    message: 'The database contains no key node',
    hint: 'Start the key node first.',
  })
}
