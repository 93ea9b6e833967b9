import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { constants, setPriority } from 'node:os'
import { dirname, join } from 'node:path'
import { CairnError } from '@cairn/protocol'
import memory from '../program-memory.json' with { type: 'json' }
import { endProcess, endWithThisProcess } from './end-process.ts'

/** A service in its own process. Disposing stops it by SIGTERM, and kills it if it does not stop. */
export type ServiceProcess = AsyncDisposable & {
  /** The message of the process when it was ready. */
  readonly ready: { url: string; publicKey?: string }
  readonly pid: number
}

const readyTimeoutMs = 30_000
/** Time in ms for the shutdown of a service beyond its own limit for requests in progress. */
const endMarginMs = 2_000

export type ServiceOptions = {
  /** Name of the service in messages. */
  name: string
  program: string
  environment: Record<string, string | undefined>
  /** The home folder of the network. */
  home: string
  /** Time limit in ms for requests in progress at shutdown; also passed to the service. */
  stopTimeoutMs: number
  /** Aborts the start. */
  signal?: AbortSignal | undefined
  /** Whether work of other processes has priority over its own, once it is ready. */
  isBackground?: boolean
}

/**
 * Starts the program of a service with the memory settings of `program-memory.json`, because a network shares one machine:
 * a semi-space of 1 MiB saves 12 MiB per process, the heap is collected at twice the live size instead of up to four
 * times, and one glibc pool for all threads keeps less freed memory; other C libraries ignore it. `scripts/run.mjs`
 * starts the network with the same settings. Waits until the program reports ready. The program ends with this process: the
 * channel between them closes, and a hanging program is killed. Its output before it is ready is shown once, afterwards or in
 * the error, because many services fail alike.
 * @throws CairnError UNAVAILABLE with its output if it does not start
 */
export async function spawnService(options: ServiceOptions): Promise<ServiceProcess> {
  const { name, program, environment, home, stopTimeoutMs, signal, isBackground = false } = options
  const child = spawn(process.execPath, [...process.execArgv, ...memory.arguments, program], {
    // A shared compile cache: processes start faster, and need no memory for compiling.
    env: { NODE_COMPILE_CACHE: compileCache(home), ...memory.environment, ...environment },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    // Ctrl-C in the terminal reaches the whole group, but only the parent stops its children, in order.
    detached: true,
  })
  endWithThisProcess(child)
  let output = ''
  let isStarting = true
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-4000)
    if (!isStarting) process.stderr.write(text)
  })
  const end = () => endProcess(child, () => child.kill('SIGTERM'), stopTimeoutMs + endMarginMs)
  try {
    const ready = await waitUntilReady(child, () => output, signal)
    isStarting = false
    process.stderr.write(output)
    // Threads that start later inherit it.
    if (isBackground && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
    return { ready, pid: child.pid ?? 0, [Symbol.asyncDispose]: end }
  } catch (cause) {
    await end()
    signal?.throwIfAborted()
    const [reason = '', ...rest] = output.trim().split('\n')
    throw new CairnError('UNAVAILABLE', {
      message: `The ${name} did not start: ${reason}`,
      ...(rest.length === 0 ? {} : { hint: rest.join('\n') }),
      cause,
    })
  }
}

/**
 * Returns the compile cache of Node: the folder of this process (with one entry per version), or one in the home
 * folder.
 */
function compileCache(home: string): string {
  const own = getCompileCacheDir()
  return own === undefined ? join(home, 'compile-cache') : dirname(own)
}

async function waitUntilReady(
  child: ChildProcess,
  output: () => string,
  signal: AbortSignal | undefined,
): Promise<{ url: string; publicKey?: string }> {
  const limit = AbortSignal.timeout(readyTimeoutMs)
  const stop = signal === undefined ? limit : AbortSignal.any([limit, signal])
  // Its output is complete once its streams are closed, too.
  const gone = once(child, 'close', { signal: stop }).then(() => {
    throw new Error(output().trim() || 'it exited without output')
  })
  gone.catch(() => undefined)
  const received: unknown[] = await Promise.race([once(child, 'message', { signal: stop }), gone])
  const [message] = received
  if (typeof message !== 'object' || message === null || !('url' in message) || typeof message.url !== 'string')
    throw new Error('it reported an unexpected message instead of ready')
  const publicKey = 'publicKey' in message && typeof message.publicKey === 'string' ? message.publicKey : undefined
  return { url: message.url, ...(publicKey === undefined ? {} : { publicKey }) }
}
