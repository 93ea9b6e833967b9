import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { runCommand } from './run-command.ts'

/** Result of a command: its exit code, the lines it printed, those that are JSON, and its error output. */
export type AdminRun = { code: number; lines: string[]; json: Record<string, unknown>[]; complained: string }

/** Runs `cairn-admin` with only these settings, on a separate connection to the database. */
export async function runAdmin(environment: Record<string, string>, ...args: string[]): Promise<AdminRun> {
  const lines: string[] = []
  const complaints: string[] = []
  const code = await runCommand(args, {
    environment,
    write: (line) => lines.push(line),
    complain: (line) => complaints.push(line),
  })
  const json = args.includes('--json') ? lines.map((line) => JSON.parse(line)) : []
  return { code, lines, json, complained: complaints.join('\n') }
}

/** Starts it in a separate process, as operators do. */
export function startAdmin(environment: Record<string, string>, ...args: string[]) {
  const program = join(import.meta.dirname, '..', 'admin-main.ts')
  return spawn(
    process.execPath,
    ['--conditions=@cairn/source', '--disable-warning=ExperimentalWarning', program, ...args],
    {
      env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
}
