import type { StorageConfig } from '../config.ts'
import type { Report } from '../maintenance/maintain.ts'
import { type AdminContext, openAdminDatabase } from './admin-context.ts'
import type { AuditEntry } from './audit.ts'

/** Options of the commands for backups. */
export type BackupOptions = {
  readonly id: string | undefined
  readonly identityFile: string | undefined
  readonly keep: string | undefined
  readonly allowsDamage: boolean
}

/** Input of a command. */
export type CommandInput = {
  readonly config: StorageConfig
  readonly args: readonly string[]
  readonly reason: string | undefined
  readonly isDryRun: boolean
  /** For `deny`: whether the reason is legal. */
  readonly isByLaw: boolean
  readonly backup: BackupOptions
  /** For `migrate`: where to. */
  readonly to: string | undefined
  /** Aborts when the operator interrupts the command. */
  readonly signal: AbortSignal
  readonly report: Report
  /** Shows progress to a person who waits. */
  readonly onProgress: (text: string) => void
}

/** A command of `cairn-admin`. */
export type Command = {
  /** Arguments after its name. */
  readonly args: readonly string[]
  readonly about: string
  /** Returns whether it succeeded without findings: exit code 0, otherwise 1. */
  run(input: CommandInput): Promise<boolean>
}

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
    const { isDryRun } = input
    if (entry === undefined) input.report({ kind: 'unchanged' }, 'No changes.')
    else {
      const change = [entry.before, entry.after].map((value) => JSON.stringify(value ?? {})).join(' → ')
      input.report({ ...entry, isDryRun }, `${isDryRun ? 'Dry run: ' : ''}${entry.action} ${entry.subject}: ${change}`)
    }
    return true
  })
}
