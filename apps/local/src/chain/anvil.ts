import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { endProcess } from '../processes/end-process.ts'

/** An EVM node on this machine. Disposing stops it, with its state on disk. */
export type AnvilProcess = AsyncDisposable & { readonly url: string }

const require = createRequire(import.meta.url)
const readyTimeoutMs = 20_000
/** Longer than the shell waits for the program. */
const endTimeoutMs = 5_000
/** Maximum characters of output to keep. */
const keptChars = 4_000

/** Packages with the program, by platform and processor. */
const packages: Record<string, string> = {
  'linux-x64': '@foundry-rs/anvil-linux-amd64',
  'linux-arm64': '@foundry-rs/anvil-linux-arm64',
  'darwin-arm64': '@foundry-rs/anvil-darwin-arm64',
  'darwin-x64': '@foundry-rs/anvil-darwin-amd64',
}

/** Returns the path of the program, from its platform package or the PATH; undefined if neither has it. */
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
      // The package is optional.
    }
  }
  return places.find(isProgram)
}

function isProgram(place: string): boolean {
  try {
    accessSync(place, constants.X_OK)
    return statSync(place).isFile()
  } catch {
    return false
  }
}

/**
 * The shell in between stops the program when this process ends for any reason, because its standard input then closes.
 * The program gets three seconds to write its state. The shell ends with the program.
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
  /** 0 selects a free port. */
  port: number
  chainId: number
  /** File of its state: written every second, and on shutdown. */
  stateFile: string
  /** Aborts the start. */
  signal?: AbortSignal | undefined
}

/**
 * Starts anvil.
 * @throws CairnError UNAVAILABLE with its output
 */
export async function startAnvil(
  program: string,
  { host, port, chainId, stateFile, signal }: AnvilOptions,
): Promise<AnvilProcess> {
  const args = ['--host', host, '--port', String(port), '--chain-id', String(chainId)]
  // A forced exit loses one second of test coins.
  args.push('--state', stateFile, '--state-interval', '1', '--accounts', '1', '--balance', '0')
  const child = spawn('sh', ['-c', keeper, 'sh', program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    // Settings and secrets of this process are not passed on; the other files of anvil stay in the folder.
    env: { HOME: dirname(stateFile) },
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-keptChars)
  })
  const end = () => endProcess(child, () => child.stdin.end(), endTimeoutMs)
  try {
    const url = await findUrl(child, signal)
    return { url, [Symbol.asyncDispose]: end }
  } catch (cause) {
    await end()
    signal?.throwIfAborted()
    throw new CairnError('UNAVAILABLE', { message: `The local chain did not start: ${output.trim()}`, cause })
  }
}

/**
 * Waits for the address of the listener. Keeps reading the output afterwards: anvil writes a line per call, and blocks
 * permanently on a full pipe.
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
  child.once('close', () => reject(new Error('it exited')))
  const limit = AbortSignal.timeout(readyTimeoutMs)
  const stop = signal === undefined ? limit : AbortSignal.any([limit, signal])
  stop.addEventListener('abort', () => reject(new Error('it did not listen in time', { cause: stop.reason })))
  if (stop.aborted) reject(stop.reason)
  return promise
}
