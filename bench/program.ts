import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'

export type Finished = { wallMs: number; stdout: string; peakBytes: number }

/** Runs a program to completion and returns its wall time, output and peak resident memory. Throws if it fails. */
export async function runProgram(
  command: string,
  args: string[],
  options: { env?: Record<string, string>; cwd?: string } = {},
): Promise<Finished> {
  const started = performance.now()
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  })
  let stdout = ''
  let stderr = ''
  let peakBytes = 0
  const watch = setInterval(() => {
    peakBytes = Math.max(peakBytes, peakMemory(child.pid))
  }, 50)
  child.stdout.on('data', (piece: Buffer) => {
    stdout += piece.toString()
  })
  child.stderr.on('data', (piece: Buffer) => {
    stderr += piece.toString()
  })
  // A program that is not installed must not keep the benchmark running.
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  }).finally(() => clearInterval(watch))
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${stderr.slice(-2000)}`)
  return { wallMs: performance.now() - started, stdout, peakBytes }
}

/** Returns how long something took, in ms. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Processor time of all threads of a process so far, in ms; the system clock ticks every 10 ms. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Peak resident memory of a process so far, in bytes (0 if it has exited or the system has no /proc). */
export function peakMemory(pid: number | undefined): number {
  return statusBytes(pid, 'VmHWM')
}

/** Resets the peak memory of a process to its current memory (proc(5), `clear_refs`). */
export function resetPeakMemory(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** Memory of a process and its descendants, in bytes; shared pages count once. */
export function residentOfAll(pid: number | undefined): number {
  if (pid === undefined) return 0
  return treeOf(pid).reduce((sum, one) => {
    const found = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${one}/smaps_rollup`, 'utf8'))
    return sum + Number(found?.[1] ?? 0) * 1024
  }, 0)
}

function treeOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  return [pid, ...children.flatMap(treeOf)]
}

function statusBytes(pid: number | undefined, field: string): number {
  if (pid === undefined) return 0
  try {
    const found = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return Number(found?.[1] ?? 0) * 1024
  } catch {
    // The process has just exited: the earlier value stays.
    return 0
  }
}

/** Runs one of our programs (a TypeScript file of this folder) from its sources on this Node, with its compile cache. */
export function runOurs(file: string, args: string[], env: Record<string, string> = {}): Promise<Finished> {
  const cache = { NODE_COMPILE_CACHE: join(cacheFolder, 'compile') }
  return runProgram(process.execPath, ['--conditions=@cairn/source', file, ...args], { env: { ...cache, ...env } })
}

/** Runs a client of this folder as JavaScript: users run compiled packages, without the memory of the compiler. */
export async function runClient(file: string, args: string[], env: Record<string, string> = {}): Promise<Finished> {
  const compiled = compiledClients.get(file) ?? compileClient(file)
  compiledClients.set(file, compiled)
  return runProgram(process.execPath, [await compiled, ...args], { env })
}

const cacheFolder = join(import.meta.dirname, '..', '.cache')
const compiledClients = new Map<string, Promise<string>>()

async function compileClient(file: string): Promise<string> {
  const compiled = join(cacheFolder, 'bench', `${basename(file, '.ts')}.js`)
  await build({
    entryPoints: [file],
    outfile: compiled,
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['@cairn/source'],
    logLevel: 'error',
    banner: {
      js: "import { createRequire as cairnCreateRequire } from 'node:module'; const require = cairnCreateRequire(import.meta.url);",
    },
  })
  return compiled
}

/** Starts a program that keeps running, and waits for a matching line of its output. */
export async function startProgram(
  command: string,
  args: string[],
  ready: RegExp,
  env: Record<string, string> = {},
): Promise<ChildProcess> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } })
  const lines = createInterface({ input: child.stdout })
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${command} ended with ${code} before it was ready`)))
    lines.on('line', (line) => {
      if (ready.test(line)) resolve()
    })
  })
  child.removeAllListeners('exit')
  return child
}

/** Stops a program by its own process id and waits until it has ended. */
export async function stopProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGTERM')
  await gone
}

/** The time of the work alone, as a client of this folder prints it, without the start of its process. */
export function innerMs(stdout: string): number {
  const found = /took (\d+(?:\.\d+)?) ms/.exec(stdout)
  if (found === null) throw new Error(`no time in: ${stdout}`)
  return Number(found[1])
}
