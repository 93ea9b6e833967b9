import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type NetworkProfile, parseNetworkProfile } from '@cairn/protocol'
import { type Client, createApiKey, createClient } from '@cairn/sdk'
import memory from '../apps/local/src/program-memory.json' with { type: 'json' }
import { freeOffset } from '../tests/free-offset.ts'
import { startProgram, stopProgram } from './program.ts'

export type BenchNetwork = AsyncDisposable & {
  profile: NetworkProfile
  home: string
  process: ChildProcess
  /** Time from the start of the process to `network.json`, in ms. */
  readyMs: number
}

/** Starts the local network like `npm start`, in its own process, on free ports. */
export async function startNetwork(home: string): Promise<BenchNetwork> {
  const offset = await freeOffset()
  const bin = resolve(import.meta.dirname, '../apps/local/src/bin.ts')
  const started = performance.now()
  const child = await startProgram(
    process.execPath,
    // As `scripts/run.mjs` starts it.
    ['--conditions=@cairn/source', '--disable-warning=ExperimentalWarning', ...memory.arguments, bin],
    /ready/i,
    {
      ...memory.environment,
      CAIRN_HOME: home,
      CAIRN_PORT_OFFSET: String(offset),
      CAIRN_LOG_LEVEL: 'warn',
    },
  )
  const readyMs = performance.now() - started
  const file = join(home, 'network.json')
  if (!existsSync(file)) throw new Error('the network said it was ready but wrote no network.json')
  const profile = parseNetworkProfile(JSON.parse(readFileSync(file, 'utf8')))
  return { profile, home, process: child, readyMs, [Symbol.asyncDispose]: () => stopProgram(child) }
}

/** A client with an API key of the network's own wallet. */
export async function openClient({ profile }: BenchNetwork): Promise<Client> {
  const privateKey = profile.wallet?.privateKey
  if (privateKey === undefined) throw new Error('the profile has no wallet')
  return createClient({
    network: profile,
    apiKey: await createApiKey(createClient({ network: profile }), { privateKey }),
  })
}
