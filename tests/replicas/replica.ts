import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { descendantsOf } from '../process-tree.ts'
import { programEnvironment } from '../program-environment.ts'
import { unshare } from '../unshare.ts'

/**
 * A storage service as process 1 of its own PID namespace, as in a container, on fixed ports. It is restarted when it
 * exits, as by systemd or a container engine.
 */
export type Replica = AsyncDisposable & {
  readonly name: string
  readonly api: string
  readonly gateway: string
  /** Starts it; returns at once. */
  start(): void
  /** Resolves when `/readyz` answers 200. @throws Error with the last answer and the end of the log when the signal aborts */
  isReady(signal: AbortSignal): Promise<void>
  /** Ends it without any warning. */
  kill(): Promise<void>
  /** Asks it to stop, and waits until it has. */
  stop(): Promise<void>
}

/** Pause before a replica that exited starts again. */
const restartMs = 1000
const program = join(import.meta.dirname, '../../services/storage/src/main.ts')

/** Describes a replica. Its log is `{name}.log` in `folder`. */
export function createReplica(
  name: string,
  ports: { api: number; gateway: number },
  { folder, environment }: { folder: string; environment: Record<string, string> },
): Replica {
  const logPath = join(folder, `${name}.log`)
  const log = openSync(logPath, 'a')
  let child: ChildProcess | undefined
  let isWanted = false
  let gone: Promise<unknown> = Promise.resolve()
  const api = `http://127.0.0.1:${ports.api}`
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    isWanted = false
    if (child?.pid === undefined || child.exitCode !== null) return
    // A process 1 that is killed takes its namespace with it.
    for (const { pid } of descendantsOf(child.pid).slice(0, 1)) process.kill(pid, signal)
    await gone
  }
  const start = (): void => {
    isWanted = true
    const [command = '', ...args] = [...unshare, process.execPath, '--conditions=@cairn/source', program]
    child = spawn(command, args, {
      env: {
        ...programEnvironment,
        ...environment,
        CAIRN_HOME: join(folder, name),
        CAIRN_PORT: String(ports.api),
        CAIRN_GATEWAY_PORT: String(ports.gateway),
        CAIRN_METRICS_PORT: '0',
      },
      stdio: ['ignore', log, log],
    })
    const own = child
    gone = once(own, 'exit').then(() => {
      setTimeout(() => {
        if (isWanted && child === own) start()
      }, restartMs)
    })
  }
  return {
    name,
    api,
    gateway: `http://127.0.0.1:${ports.gateway}`,
    start,
    async isReady(signal) {
      let last = ''
      while (!signal.aborted) {
        try {
          const answer = await fetch(`${api}/readyz`, { signal })
          last = await answer.text()
          if (answer.ok) return
        } catch (error) {
          if (!signal.aborted) last = String(error)
        }
        await wait(100)
      }
      const end = readFileSync(logPath, 'utf8').trimEnd().split('\n').slice(-5).join('\n')
      throw new Error(`the ${name} replica is not ready: ${last}\n${end}`)
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    [Symbol.asyncDispose]: () => end('SIGKILL'),
  }
}
