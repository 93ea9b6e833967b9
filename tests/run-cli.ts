import { type ChildProcess, spawn } from 'node:child_process'
import { programEnvironment } from './program-environment.ts'

let requested: Promise<string[]> | undefined

/** The command of the command line: Node and what it gets before the arguments. The first request of a run bundles it. */
export function cliCommand(): Promise<string[]> {
  requested ??= requestCli()
  return requested
}

async function requestCli(): Promise<string[]> {
  const answer = await fetch(process.env['CAIRN_TEST_CLI'] ?? '')
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return [process.execPath, '--enable-source-maps', text]
}

/** What a run of the command line ended with and printed. */
export type CliRun = { code: number | null; out: string; err: string }

/** Runs the real program, as a user's shell does; it sees no environment but the one given. */
export async function runCli(
  args: readonly string[],
  options: {
    cwd: string
    env: Record<string, string>
    input?: string | Uint8Array | undefined
    started?: ((child: ChildProcess) => void) | undefined
  },
): Promise<CliRun> {
  const [node = '', ...program] = await cliCommand()
  return await new Promise((done, fail) => {
    const child = spawn(node, [...program, ...args], {
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
