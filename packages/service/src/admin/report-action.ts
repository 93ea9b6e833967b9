import { type AuditEntry, type LoggedAction, listActions } from './audit.ts'
import type { ToolInput } from './run-tool.ts'

/** Prints the changes of an action; undefined stands for none. */
export function reportAction({ isDryRun, report }: Pick<ToolInput, 'isDryRun' | 'report'>, entry?: AuditEntry): void {
  if (entry === undefined) {
    report({ kind: 'unchanged' }, 'No changes.')
    return
  }
  const change = [entry.before, entry.after].map((value) => JSON.stringify(value ?? {})).join(' → ')
  report({ ...entry, isDryRun }, `${isDryRun ? 'Dry run: ' : ''}${entry.action} ${entry.subject}: ${change}`)
}

/** Prints the log of actions, newest first. */
export async function reportActions(
  { report }: Pick<ToolInput, 'report'>,
  db: Parameters<typeof listActions>[0],
): Promise<void> {
  for await (const entry of listActions(db)) report(entry, describeAction(entry))
}

function describeAction({ at, actor, action, subject, reason }: LoggedAction): string {
  return `${new Date(at).toISOString()}  ${actor}  ${action} ${subject}${reason === null ? '' : `  ${reason}`}`
}
