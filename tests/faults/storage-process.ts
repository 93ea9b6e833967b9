import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { programEnvironment } from '../program-environment.ts'

/** A storage service in a process of its own. */
export type StorageProcess = {
  readonly api: string
  readonly gateway: string
  readonly pid: number
  /** Resolves when the process is gone, with the signal that ended it. */
  readonly gone: Promise<NodeJS.Signals | null>
  readonly metrics: string
  /** Ends it without any warning. */
  kill(): Promise<void>
}

/** What a process is given less of than it would have. */
export type ProcessLimits = {
  /** Files it may have open. */
  fileLimit?: number
  /** Options of Node. */
  nodeOptions?: readonly string[]
}

/** Starts the service on a folder and free ports; resolves when it listens. */
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
  const place = await firstPlace(child.stdout, gone)
  return {
    ...place,
    pid: child.pid,
    gone,
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}

type Place = Pick<StorageProcess, 'api' | 'gateway' | 'metrics'>

async function firstPlace(output: NodeJS.ReadableStream, gone: Promise<unknown>): Promise<Place> {
  const lines = createInterface(output)
  const found = new Promise<Place>((resolve) => {
    // Log lines come before it; from then on they are read and dropped, so that the pipe never fills.
    lines.on('line', (line) => {
      const value: unknown = JSON.parse(line)
      if (isPlace(value)) resolve(value)
    })
  })
  return Promise.race([
    found,
    gone.then((signal) => {
      throw new Error(`the service ended before it listened (${String(signal)})`)
    }),
  ])
}

function isPlace(value: unknown): value is Place {
  return typeof value === 'object' && value !== null && 'api' in value && 'gateway' in value && 'metrics' in value
}
