import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** The input of a program: bytes, or pieces as they are produced. */
export type Stdin = Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** How to run a program. */
export type RunOptions = {
  cwd?: string
  env?: NodeJS.ProcessEnv
  stdin?: Stdin
  /** Killed after this time. Defaults to 10 minutes. */
  timeoutMs?: number
  /** Exit codes that count as success. Defaults to 0 only. */
  allowedExitCodes?: readonly number[]
}

/**
 * Runs a program to completion and returns its output.
 * @throws Error with the end of its error output when it exits with a code that is not allowed.
 */
export async function runProgram(file: string, args: readonly string[], options: RunOptions = {}): Promise<Buffer> {
  const { cwd, env, stdin, timeoutMs = 600_000, allowedExitCodes = [0] } = options
  const child = spawn(file, args, {
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
  })
  const output: Buffer[] = []
  let complaints = ''
  child.stdout?.on('data', (piece: Buffer) => output.push(piece))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-4000)
  })
  const closed = once(child, 'close')
  const fed =
    stdin === undefined || child.stdin === null
      ? undefined
      : pipeline(stdin instanceof Uint8Array ? [stdin] : Readable.from(stdin, { objectMode: false }), child.stdin)
  // A program that exits before it has read everything is judged by its exit code.
  fed?.catch(() => undefined)
  const [code, signal] = await closed
  if (typeof code !== 'number' || !allowedExitCodes.includes(code)) {
    throw new Error(`${file} ${args.join(' ')} ended with ${code ?? signal}\n${complaints}`)
  }
  await fed
  return Buffer.concat(output)
}
