import { type ChildProcess, spawn } from 'node:child_process'
import { Readable, Writable } from 'node:stream'
import { readEnvironment, run } from '@cairn/cli'
import { programEnvironment } from './program-environment.ts'

/** Read before a run replaces the environment. */
const broker = process.env['CAIRN_TEST_CLI'] ?? ''
let requested: Promise<string[]> | undefined

/** The command of the command line: Node and its arguments before the command's own. The first request of a run bundles it. */
export function cliCommand(): Promise<string[]> {
  requested ??= requestCli()
  return requested
}

async function requestCli(): Promise<string[]> {
  const answer = await fetch(broker)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return [process.execPath, text]
}

/** The exit code and output of a run of the command line. */
export type CliRun = { code: number | null; out: string; err: string }

export type CliRunOptions = {
  cwd: string
  /** The complete environment of the command line. */
  env: Record<string, string>
  input?: string | Uint8Array | undefined
  /** Runs the program in a separate process, like a shell: for tests of how it starts, exits and uses its streams. */
  asProcess?: boolean
  /** Receives the process, which requires a separate one. */
  started?: ((child: ChildProcess) => void) | undefined
}

let isRunning = false

/**
 * Runs the command line in this process, which saves the start of Node and the loading of its modules. A run during another one
 * gets a process, because there is only one environment and one working directory.
 */
export async function runCli(args: readonly string[], options: CliRunOptions): Promise<CliRun> {
  if (options.asProcess || options.started !== undefined || isRunning) return runProcess(args, options)
  const [cwd, env] = [process.cwd(), { ...process.env }]
  const stdin = Readable.from(options.input === undefined ? [] : [Buffer.from(options.input)], { objectMode: false })
  const [stdout, stderr] = [collect(), collect()]
  isRunning = true
  try {
    process.chdir(options.cwd)
    replaceEnvironment({ ...programEnvironment, ...options.env })
    const code = await run([...args], readEnvironment(), { stdin, stdout, stderr }, new AbortController().signal)
    return { code, out: stdout.text(), err: stderr.text() }
  } finally {
    replaceEnvironment(env)
    process.chdir(cwd)
    stdin.destroy()
    isRunning = false
  }
}

function replaceEnvironment(env: Record<string, string | undefined>): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name]
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value
}

function collect(): Writable & { text(): string } {
  const pieces: Buffer[] = []
  const sink = new Writable({
    write(piece: Buffer, _encoding, done) {
      pieces.push(piece)
      done()
    },
  })
  return Object.assign(sink, { text: () => Buffer.concat(pieces).toString() })
}

async function runProcess(args: readonly string[], { cwd, env, input, started }: CliRunOptions): Promise<CliRun> {
  const [node = '', ...program] = await cliCommand()
  return await new Promise((done, fail) => {
    const child = spawn(node, [...program, ...args], { cwd, env: { ...programEnvironment, ...env } })
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
    child.stdin.end(input)
    started?.(child)
  })
}
