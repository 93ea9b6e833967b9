import { readSettings } from '@cairn/service'
import { type AdminEnvironment, type AdminTool, backupOptions, reportActions, runTool } from '@cairn/service/admin'
import { backupSettings, readBackupSettings } from '@cairn/service/backup'
import { keyNodeSettings, readKeyNodeConfig } from '../config.ts'
import { backupCommands } from './backup-commands.ts'
import { type Command, type CommandInput, withDatabase } from './command.ts'
import { rotateSecret } from './rotate-secret.ts'
import { shardCommands } from './shard-commands.ts'

/** Every command, in the order of the help. */
export const keyNodeCommands: Readonly<Record<string, Command>> = {
  ...backupCommands,
  'secret rotate': {
    args: [],
    about: 'seals every shard again with CAIRN_KEYNODE_SECRET that was sealed with CAIRN_KEYNODE_SECRET_SECONDARY',
    run: (input) =>
      withDatabase(input, async (context) => {
        const { isDryRun, report, signal, onProgress } = input
        const rotated = await rotateSecret(context, {
          signal,
          onSealed: (count) => onProgress(`${count} shards sealed`),
          onDamaged: (cid) => report({ kind: 'damaged', cid }, `damaged  ${cid}`),
        })
        const { sealed, left } = rotated
        report({ kind: 'summary', ...rotated, isDryRun }, `${sealed} shards sealed, ${left} left.`)
        return isDryRun || left === 0
      }),
  },
  ...shardCommands,
  audit: {
    args: [],
    about: 'lists the actions of this tool, newest first',
    run: (input) =>
      withDatabase(input, async ({ db }) => {
        await reportActions(input, db)
        return true
      }),
  },
}

/** The tool of the operator of a key node. */
export const keyNodeAdminTool: AdminTool<CommandInput> = {
  name: 'cairn-keynode-admin',
  commands: keyNodeCommands,
  options: backupOptions,
  readInput(given) {
    const { environment } = given
    return {
      ...given,
      readConfig(secret) {
        const hasSecret = ['CAIRN_KEYNODE_SECRET', 'CAIRN_KEYNODE_SECRET_FILE'].some((name) => !!environment[name])
        const added = hasSecret || secret === undefined ? {} : { CAIRN_KEYNODE_SECRET: secret }
        return { config: readKeyNodeConfig({ ...environment, ...added }), hasSecret }
      },
      readBackupConfig: () =>
        readBackupSettings(
          readSettings(backupSettings, environment, { foreign: new Set(Object.keys(keyNodeSettings)) }),
        ),
    }
  },
}

/**
 * Runs one command of `cairn-keynode-admin`.
 * @returns the exit code: 0 success, 1 findings or a failure, 2 invalid arguments, 78 invalid settings
 */
export function runKeyNodeCommand(args: readonly string[], place: AdminEnvironment): Promise<number> {
  return runTool(keyNodeAdminTool, args, place)
}
