import { type AuditEntry, reportAction, type ToolCommand, type ToolInput } from '@cairn/service/admin'
import type { StorageConfig } from '../config.ts'
import { type AdminContext, openAdminDatabase } from './admin-context.ts'

/** Input of a command. */
export type CommandInput = ToolInput & {
  readonly config: StorageConfig
  readonly reason: string | undefined
}

/** A command of `cairn-admin`. */
export type Command = ToolCommand<CommandInput>

/** Runs work on the database of the service. */
export async function withDatabase(
  { config, isDryRun, report }: CommandInput,
  work: (context: AdminContext) => Promise<boolean>,
): Promise<boolean> {
  await using db = await openAdminDatabase(config)
  // Awaited here, so that the database stays open until the work is done.
  return await work({ config, db, clock: { now: () => Date.now() }, isDryRun, report })
}

/** Runs an action and reports its changes. */
export function act(
  input: CommandInput,
  action: (context: AdminContext) => Promise<AuditEntry | undefined>,
): Promise<boolean> {
  return withDatabase(input, async (context) => {
    const entry = await action(context)
    reportAction(input, entry)
    return true
  })
}
