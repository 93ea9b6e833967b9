import { type AdminEnvironment, type AdminTool, backupOptions, runTool } from '@cairn/service/admin'
import { readConfig } from '../config.ts'
import type { CommandInput } from './command.ts'
import { commands } from './commands.ts'

/** The tool of the operator of a storage service. */
export const adminTool: AdminTool<CommandInput> = {
  name: 'cairn-admin',
  commands,
  options: {
    reason: {
      commands: [
        'accounts block',
        'accounts unblock',
        'accounts delete',
        'ledger adjust',
        'price set',
        'free set',
        'deny',
        'allow',
        'undeny',
      ],
      value: 'TEXT',
      about: 'reason of the action, for the audit log',
    },
    'by-law': { commands: ['deny'] },
    ...backupOptions,
    to: { commands: ['migrate'], value: 'postgres|s3', about: 'where migrate moves the service to' },
    'allow-damage': { commands: ['restore'], about: 'restores what is left of a damaged backup' },
  },
  readInput: (given) => ({ ...given, config: readConfig(given.environment), reason: given.text('reason') }),
}

/**
 * Runs one command of `cairn-admin`.
 * @returns the exit code: 0 success, 1 findings or a failure, 2 invalid arguments, 78 invalid settings
 */
export function runCommand(args: readonly string[], place: AdminEnvironment): Promise<number> {
  return runTool(adminTool, args, place)
}
