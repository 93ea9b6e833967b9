import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { kubo, requireBinary } from './binaries.ts'
import { createKuboRepo, type KuboOptions, type KuboRepo } from './kubo-repo.ts'

/** A Kubo daemon on free ports of 127.0.0.1. Defaults to offline. */
export type Kubo = KuboRepo & { apiUrl: string; gatewayUrl: string; pid: number }

const startLimitMs = 60_000
const endLimitMs = 15_000

/** Starts a separate Kubo daemon; disposal stops it and removes its folder. @throws Error when it does not start. */
export async function startKubo(options: KuboOptions = {}): Promise<Kubo> {
  const repo = await createKuboRepo(options)
  const child = spawn(requireBinary(kubo), ['daemon', ...(options.isOnline ? [] : ['--offline']), '--migrate=false'], {
    env: repo.env,
    cwd: repo.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const killOnExit = () => child.kill('SIGKILL')
  process.once('exit', killOnExit)
  const dispose = async () => {
    await endProcess(child)
    process.removeListener('exit', killOnExit)
    await repo[Symbol.asyncDispose]()
  }
  try {
    const addresses = await readAddresses(child)
    return { ...repo, ...addresses, pid: child.pid ?? 0, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

/** Reads the daemon's output until it reports that it is ready. */
async function readAddresses(child: ChildProcess): Promise<{ apiUrl: string; gatewayUrl: string }> {
  if (child.stdout === null) throw new Error('The output of the daemon cannot be read')
  let complaints = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-4000)
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), startLimitMs)
  let apiUrl: string | undefined
  let gatewayUrl: string | undefined
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const [, kind, port] = /^(RPC API|Gateway) server listening on \/ip4\/127\.0\.0\.1\/tcp\/(\d+)/.exec(line) ?? []
      if (kind === 'RPC API') apiUrl = `http://127.0.0.1:${port}`
      if (kind === 'Gateway') gatewayUrl = `http://127.0.0.1:${port}`
      if (line.startsWith('Daemon is ready') && apiUrl !== undefined && gatewayUrl !== undefined) {
        return { apiUrl, gatewayUrl }
      }
    }
  } finally {
    clearTimeout(timer)
    // Keeps reading, because a full pipe would stop the daemon.
    child.stdout.resume()
  }
  throw new Error(`The Kubo daemon did not start\n${complaints}`)
}

/** Asks the process to exit, and kills it if it does not. */
async function endProcess(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), endLimitMs)
  await ended
  clearTimeout(timer)
}
