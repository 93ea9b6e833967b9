import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { CairnError } from '@cairn/protocol'

/** An EVM node on this machine. Disposing ends it, its state is on the disk then. */
export type AnvilProcess = AsyncDisposable & { readonly url: string }

const require = createRequire(import.meta.url)
const readyTimeoutMs = 20_000
const endTimeoutMs = 10_000

/** Packages that bring the program, by platform and processor. */
const packages: Record<string, string> = {
  'linux-x64': '@foundry-rs/anvil-linux-amd64',
  'linux-arm64': '@foundry-rs/anvil-linux-arm64',
  'darwin-arm64': '@foundry-rs/anvil-darwin-arm64',
  'darwin-x64': '@foundry-rs/anvil-darwin-amd64',
}

/** Where the program is: from its platform package, or in the PATH; undefined where neither has it. */
export function findAnvil(path: string | undefined): string | undefined {
  const name = packages[`${process.platform}-${process.arch}`]
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
 * program gets a chance to write its state.
 */
const keeper = '"$@" </dev/null & child=$!; cat >/dev/null; kill "$child" 2>/dev/null; wait "$child"'

/** Starts it on a port (0: any). @throws CairnError UNAVAILABLE with what it said */
export async function startAnvil(
  program: string,
  { host, port, chainId, stateFile }: { host: string; port: number; chainId: number; stateFile: string },
): Promise<AnvilProcess> {
  const args = ['--host', host, '--port', String(port), '--chain-id', String(chainId)]
  // Written every second, and at the end: what is lost by force is a second of test coins.
  args.push('--state', stateFile, '--state-interval', '1', '--accounts', '1', '--balance', '0')
  const child = spawn('sh', ['-c', keeper, 'sh', program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    // Nothing of this process' settings and secrets is its business; what it keeps beside its state stays in the folder.
    env: { HOME: dirname(stateFile) },
  })
  let said = ''
  child.stderr.setEncoding('utf8')
  child.stderr.on('data', (text: string) => {
    said = (said + text).slice(-2000)
  })
  try {
    const url = await findUrl(child, AbortSignal.timeout(readyTimeoutMs))
    return { url, [Symbol.asyncDispose]: () => end(child) }
  } catch (cause) {
    await end(child)
    throw new CairnError('UNAVAILABLE', { message: `The local chain did not start: ${said.trim()}`, cause })
  }
}

async function findUrl(child: ChildProcess, limit: AbortSignal): Promise<string> {
  if (child.stdout === null) throw new Error('it has no output')
  const lines = createInterface({ input: child.stdout, signal: limit })
  for await (const line of lines) {
    const address = /Listening on (\S+)/.exec(line)?.[1]
    if (address === undefined) continue
    // What it goes on to say is not read: a full pipe would stop it.
    child.stdout.resume()
    return `http://${address}`
  }
  throw new Error('it ended, or did not listen in time')
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = once(child, 'exit')
  child.stdin?.end()
  const timer = setTimeout(() => killGroup(child), endTimeoutMs)
  await ended
  clearTimeout(timer)
}

/** By force, the shell and the program. */
function killGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL')
}
