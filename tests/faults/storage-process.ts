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
  /** Ends it without any warning. */
  kill(): Promise<void>
}

/** Starts the service on a folder and free ports; resolves when it listens. */
export async function startStorageProcess(
  home: string,
  environment: Record<string, string> = {},
): Promise<StorageProcess> {
  const child: ChildProcess = spawn(
    process.execPath,
    ['--conditions=@cairn/source', join(import.meta.dirname, 'run-storage.ts')],
    {
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
    },
  )
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

async function firstPlace(
  output: NodeJS.ReadableStream,
  gone: Promise<unknown>,
): Promise<{ api: string; gateway: string }> {
  const lines = createInterface(output)
  const found = new Promise<{ api: string; gateway: string }>((resolve) => {
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

function isPlace(value: unknown): value is { api: string; gateway: string } {
  return typeof value === 'object' && value !== null && 'api' in value && 'gateway' in value
}
