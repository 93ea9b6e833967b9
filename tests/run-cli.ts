import { type ChildProcess, spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { programEnvironment } from './program-environment.ts'

/** The command line's own program. */
export const cliProgram = resolve(import.meta.dirname, '../packages/cli/src/bin.ts')

/** What a run of the command line ended with and printed. */
export type CliRun = { code: number | null; out: string; err: string }

/** Runs the real program, as a user's shell does; it sees no environment but the one given. */
export function runCli(
  args: readonly string[],
  options: {
    cwd: string
    env: Record<string, string>
    input?: string | Uint8Array | undefined
    started?: ((child: ChildProcess) => void) | undefined
  },
): Promise<CliRun> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, ['--conditions=@cairn/source', cliProgram, ...args], {
      cwd: options.cwd,
      env: { ...programEnvironment, ...options.env },
    })
    let [out, err] = ['', '']
    child.stdout.on('data', (bytes: Buffer) => {
      out += bytes.toString()
    })
    child.stderr.on('data', (bytes: Buffer) => {
      err += bytes.toString()
    })
    child.on('error', fail)
    child.on('close', (code) => done({ code, out, err }))
    // A program that ends early reads no input.
    child.stdin.on('error', () => undefined)
    child.stdin.end(options.input)
    options.started?.(child)
  })
}
