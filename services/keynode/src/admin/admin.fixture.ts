import { runKeyNodeCommand } from './commands.ts'

/** Result of a command: its exit code, the lines it printed, those that are JSON, and its error output. */
export type AdminRun = { code: number; lines: string[]; json: Record<string, unknown>[]; complained: string }

/** Runs `cairn-keynode-admin` with only these settings, on a separate connection to the database. */
export async function runKeyNodeAdmin(environment: Record<string, string>, ...args: string[]): Promise<AdminRun> {
  const lines: string[] = []
  const complaints: string[] = []
  const code = await runKeyNodeCommand(args, {
    environment,
    write: (line) => lines.push(line),
    complain: (line) => complaints.push(line),
  })
  const json = args.includes('--json') ? lines.map((line) => JSON.parse(line)) : []
  return { code, lines, json, complained: complaints.join('\n') }
}
