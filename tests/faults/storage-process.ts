import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { programEnvironment } from '../program-environment.ts'

/** A storage service in its own process. */
export type StorageProcess = {
  readonly api: string
  readonly gateway: string
  readonly pid: number
  /** Resolves when the process has exited, with the signal that ended it. */
  readonly gone: Promise<NodeJS.Signals | null>
  readonly metrics: string
  /** Bytes in use after garbage collection; the process must run with --expose-gc. */
  usedBytes(): Promise<number>
  /** Kills it. */
  kill(): Promise<void>
}

/** Limits of a process. */
export type ProcessLimits = {
  /** Maximum open files. */
  fileLimit?: number
  /** Options of Node. */
  nodeOptions?: readonly string[]
}

/** Starts the service in a folder and on free ports; resolves when it listens. */
export async function startStorageProcess(
  home: string,
  environment: Record<string, string> = {},
  { fileLimit, nodeOptions = [] }: ProcessLimits = {},
): Promise<StorageProcess> {
  const program = join(import.meta.dirname, 'run-storage.ts')
  const command = [process.execPath, ...nodeOptions, '--conditions=@cairn/source', program]
  const shell = ['-c', `ulimit -n ${fileLimit}; exec "$@"`, 'bash', ...command]
  const [file = '', ...args] = fileLimit === undefined ? command : ['bash', ...shell]
  const child: ChildProcess = spawn(file, args, {
    env: {
      ...programEnvironment,
      CAIRN_HOME: home,
      CAIRN_PORT: '0',
      CAIRN_GATEWAY_PORT: '0',
      CAIRN_LOG_LEVEL: 'error',
      CAIRN_RATE_FACTOR: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'exit').then(([, signal]) => signal as NodeJS.Signals | null)
  if (child.stdout === null || child.pid === undefined) throw new Error('the service did not start')
  // Log lines come between; every line is read, so that the pipe never fills.
  const lines = createInterface(child.stdout)
  const place = await nextLine(lines, isPlace, gone)
  return {
    ...place,
    pid: child.pid,
    gone,
    async usedBytes() {
      const report = nextLine(lines, isMemory, gone)
      child.kill('SIGUSR2')
      return (await report).usedBytes
    },
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}

type Place = Pick<StorageProcess, 'api' | 'gateway' | 'metrics'>

/** Waits for the next line that is a `T`. */
function nextLine<T>(lines: Interface, isWanted: (value: unknown) => value is T, gone: Promise<unknown>): Promise<T> {
  const found = new Promise<T>((resolve) => {
    const onLine = (line: string) => {
      const value: unknown = JSON.parse(line)
      if (!isWanted(value)) return
      lines.off('line', onLine)
      resolve(value)
    }
    lines.on('line', onLine)
  })
  return Promise.race([
    found,
    gone.then((signal) => {
      throw new Error(`the service ended before it printed what was expected (${String(signal)})`)
    }),
  ])
}

function isMemory(value: unknown): value is { usedBytes: number } {
  return typeof value === 'object' && value !== null && 'usedBytes' in value
}

function isPlace(value: unknown): value is Place {
  return typeof value === 'object' && value !== null && 'api' in value && 'gateway' in value && 'metrics' in value
}
