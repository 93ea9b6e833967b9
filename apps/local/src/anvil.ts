import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { endProcess } from './end-process.ts'

/** An EVM node on this machine. Disposing ends it, its state is on the disk then. */
export type AnvilProcess = AsyncDisposable & { readonly url: string }

const require = createRequire(import.meta.url)
const readyTimeoutMs = 20_000
/** Longer than the shell waits for the program. */
const endTimeoutMs = 5_000
/** How much of its output is kept. */
const keptChars = 4_000

/** Packages that bring the program, by platform and processor. */
const packages: Record<string, string> = {
  'linux-x64': '@foundry-rs/anvil-linux-amd64',
  'linux-arm64': '@foundry-rs/anvil-linux-arm64',
  'darwin-arm64': '@foundry-rs/anvil-darwin-arm64',
  'darwin-x64': '@foundry-rs/anvil-darwin-amd64',
}

/** Where the program is: from its platform package, or in the PATH; undefined when neither has it. */
export function findAnvil(
  path: string | undefined,
  platform = `${process.platform}-${process.arch}`,
): string | undefined {
  const name = packages[platform]
  const places = (path ?? '').split(delimiter).map((folder) => join(folder, 'anvil'))
  if (name !== undefined) {
    try {
      places.unshift(join(dirname(require.resolve(`${name}/package.json`)), 'bin/anvil'))
    } catch {
      // Not every machine has the package: it is optional.
    }
  }
  return places.find(isExecutable)
}

function isExecutable(place: string): boolean {
  try {
    accessSync(place, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * The shell between ends the program when this process is gone, however that went: its standard input closes then. The
 * program gets three seconds to write its state. The shell ends with the program.
 */
const keeper = `exec 3<&0
"$@" </dev/null 3<&- & child=$!
{
  cat <&3 >/dev/null
  kill "$child"
  tries=0
  while kill -0 "$child" && [ "$tries" -lt 30 ]; do sleep 0.1; tries=$((tries + 1)); done
  kill -9 "$child"
} 2>/dev/null & watcher=$!
wait "$child"; status=$?
kill "$watcher" 2>/dev/null
exit "$status"`

export type AnvilOptions = {
  host: string
  /** 0: any. */
  port: number
  chainId: number
  /** Where its state is kept: written every second, and at its end. */
  stateFile: string
  /** Ends the start early. */
  signal?: AbortSignal | undefined
}

/** Starts it. @throws CairnError UNAVAILABLE with what it said */
export async function startAnvil(
  program: string,
  { host, port, chainId, stateFile, signal }: AnvilOptions,
): Promise<AnvilProcess> {
  const args = ['--host', host, '--port', String(port), '--chain-id', String(chainId)]
  // What is lost by force is a second of test coins.
  args.push('--state', stateFile, '--state-interval', '1', '--accounts', '1', '--balance', '0')
  const child = spawn('sh', ['-c', keeper, 'sh', program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    // Settings and secrets of this process are not passed on; what anvil keeps beside its state stays in the folder.
    env: { HOME: dirname(stateFile) },
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-keptChars)
  })
  const end = () => endProcess(child, () => child.stdin.end(), endTimeoutMs)
  try {
    const url = await findUrl(child, signal)
    return { url, [Symbol.asyncDispose]: end }
  } catch (cause) {
    await end()
    signal?.throwIfAborted()
    throw new CairnError('UNAVAILABLE', { message: `The local chain did not start: ${said.trim()}`, cause })
  }
}

/**
 * Waits for the address it listens on. Its output is read as long as it lives: it writes a line for each call, and blocks for
 * good once a full pipe takes no more.
 */
function findUrl(child: ChildProcessWithoutNullStreams, signal: AbortSignal | undefined): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let head: string | undefined = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (head === undefined) return
    head = (head + text).slice(-keptChars)
    const address = /Listening on (\S+)\s/.exec(head)?.[1]
    if (address === undefined) return
    head = undefined
    resolve(`http://${address}`)
  })
  child.once('error', reject)
  child.once('close', () => reject(new Error('it ended')))
  const limit = AbortSignal.timeout(readyTimeoutMs)
  const stop = signal === undefined ? limit : AbortSignal.any([limit, signal])
  stop.addEventListener('abort', () => reject(new Error('it did not listen in time', { cause: stop.reason })))
  if (stop.aborted) reject(stop.reason)
  return promise
}
