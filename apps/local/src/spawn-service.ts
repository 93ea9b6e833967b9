import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { dirname, join } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { endProcess, endWithThisProcess } from './end-process.ts'

/** A service in a process of its own. Disposing ends it by SIGTERM, and by force where it does not end by itself. */
export type ServiceProcess = AsyncDisposable & {
  /** What the process told when it was ready. */
  readonly ready: { url: string; publicKey?: string }
  readonly pid: number
}

/** Room for young objects in MiB: 12 MiB less of memory for each process, and a whole network shares one machine. */
const smallHeap = ['--max-semi-space-size=1']

const readyTimeoutMs = 30_000
/** What a service gets beyond its own limit for requests under way. */
const endMarginMs = 2_000

export type ServiceOptions = {
  /** What the service is called in messages. */
  name: string
  program: string
  environment: Record<string, string | undefined>
  /** The home folder of the network. */
  home: string
  /** How long requests under way may take at its end, in ms; the service is told the same. */
  stopTimeoutMs: number
  /** Ends the start early. */
  signal?: AbortSignal | undefined
}

/**
 * Starts a service's program and waits until it says that it is ready. It ends with this process, however that ends: the
 * channel between them closes, and one that hangs is ended by force.
 * @throws CairnError UNAVAILABLE with what it said when it does not start
 */
export async function spawnService(options: ServiceOptions): Promise<ServiceProcess> {
  const { name, program, environment, home, stopTimeoutMs, signal } = options
  const child = spawn(process.execPath, [...process.execArgv, ...smallHeap, program], {
    // Compiled once for all: they start faster, and spend no memory on compiling.
    env: { NODE_COMPILE_CACHE: compileCache(home), ...environment },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    // Ctrl-C in the terminal goes to all of a group: the parent alone ends its children, in order.
    detached: true,
  })
  endWithThisProcess(child)
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4000)
    process.stderr.write(text)
  })
  const end = () => endProcess(child, () => child.kill('SIGTERM'), stopTimeoutMs + endMarginMs)
  try {
    const ready = await waitUntilReady(child, () => said, signal)
    return { ready, pid: child.pid ?? 0, [Symbol.asyncDispose]: end }
  } catch (cause) {
    await end()
    signal?.throwIfAborted()
    throw new CairnError('UNAVAILABLE', {
      message: `The ${name} did not start: ${said.trim().split('\n')[0] ?? ''}`,
      cause,
    })
  }
}

/** Where Node keeps what it compiled: the folder this process uses itself (it holds one for each version), or one in the home. */
function compileCache(home: string): string {
  const own = getCompileCacheDir()
  return own === undefined ? join(home, 'compile-cache') : dirname(own)
}

async function waitUntilReady(
  child: ChildProcess,
  said: () => string,
  signal: AbortSignal | undefined,
): Promise<{ url: string; publicKey?: string }> {
  const limit = AbortSignal.timeout(readyTimeoutMs)
  const stop = signal === undefined ? limit : AbortSignal.any([limit, signal])
  const gone = once(child, 'exit', { signal: stop }).then(() => {
    throw new Error(said().trim() || 'it ended without a word')
  })
  gone.catch(() => undefined)
  const told: unknown[] = await Promise.race([once(child, 'message', { signal: stop }), gone])
  const [message] = told
  if (typeof message !== 'object' || message === null || !('url' in message) || typeof message.url !== 'string')
    throw new Error('it said something else than that it is ready')
  const publicKey = 'publicKey' in message && typeof message.publicKey === 'string' ? message.publicKey : undefined
  return { url: message.url, ...(publicKey === undefined ? {} : { publicKey }) }
}
