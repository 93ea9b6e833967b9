import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kubo, requireBinary } from './binaries.ts'
import { runProgram, type Stdin } from './run-program.ts'

/** Differences from Kubo's defaults. */
export type KuboOptions = {
  /** Configuration profiles, such as `unixfs-v1-2025`. */
  profiles?: readonly string[]
  /** Settings merged over the configuration, object by object. */
  config?: Record<string, unknown>
  /** Whether the block store syncs each write to the disk; Kubo does not by default. */
  syncWrites?: boolean
  /** Parent folder of the repository. Defaults to the folder for temporary files. */
  parentFolder?: string
  /** Shell lines that call `ipfs`, run after the configuration. */
  configLines?: string
  /** Whether a daemon uses the routers of the configuration; it has no other routers and no peers. */
  isOnline?: boolean
}

/** A separate repository in a temporary folder, without a daemon. */
export type KuboRepo = AsyncDisposable & {
  folder: string
  env: NodeJS.ProcessEnv
  /** Runs `ipfs <args>` (through the daemon, if one runs) and returns its output. @throws Error when it fails. */
  run(args: readonly string[], stdin?: Stdin): Promise<Buffer>
}

/** Nothing leaves the machine: no peers, no routing, no reports. */
const isolation = {
  Addresses: { API: '/ip4/127.0.0.1/tcp/0', Gateway: '/ip4/127.0.0.1/tcp/0', Swarm: [] },
  Bootstrap: [],
  Discovery: { MDNS: { Enabled: false } },
  Routing: { Type: 'none' },
  Provide: { Enabled: false },
  AutoConf: { Enabled: false },
  AutoTLS: { Enabled: false },
  HTTPRetrieval: { Enabled: false },
  Gateway: { NoFetch: true, NoDNSLink: true },
  Plugins: { Plugins: { telemetry: { Disabled: true } } },
  Version: { SwarmCheckEnabled: false },
}

/** Creates an empty repository, cut off from the network. @throws Error when Kubo is not built. */
export async function createKuboRepo(options: KuboOptions = {}): Promise<KuboRepo> {
  const ipfs = requireBinary(kubo)
  const folder = await mkdtemp(join(options.parentFolder ?? tmpdir(), 'cairn-kubo-'))
  const env = { PATH: process.env['PATH'], HOME: folder, IPFS_PATH: folder, IPFS_TELEMETRY: 'off', DO_NOT_TRACK: '1' }
  const run = (args: readonly string[], stdin?: Stdin): Promise<Buffer> =>
    runProgram(ipfs, args, { cwd: folder, env, ...(stdin === undefined ? {} : { stdin }) })
  const dispose = () => rm(folder, { recursive: true, force: true, maxRetries: 3 })
  try {
    await run(['init', '--empty-repo', `--profile=${['test', ...(options.profiles ?? [])].join(',')}`])
    const path = join(folder, 'config')
    const config = overlay(overlay(JSON.parse(await readFile(path, 'utf8')), isolation), options.config ?? {})
    if (options.syncWrites === true) setSync(config)
    await writeFile(path, JSON.stringify(config))
    if (options.configLines !== undefined) {
      const shell = `ipfs() { ${JSON.stringify(ipfs)} "$@"; }\n${options.configLines}`
      await runProgram('bash', ['-euc', shell], { cwd: folder, env })
    }
  } catch (error) {
    await dispose()
    throw error
  }
  return { folder, env, run, [Symbol.asyncDispose]: dispose }
}

type Json = Record<string, unknown>

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function overlay(base: Json, top: Json): Json {
  const merged: Json = { ...base }
  for (const [key, value] of Object.entries(top)) {
    const below = merged[key]
    merged[key] = isObject(below) && isObject(value) ? overlay(below, value) : value
  }
  return merged
}

/** @throws Error when the configuration has no block store with this setting. */
function setSync(config: Json): void {
  const spec = isObject(config['Datastore']) ? config['Datastore']['Spec'] : undefined
  const mounts = isObject(spec) && Array.isArray(spec['mounts']) ? spec['mounts'] : []
  const flatfs = mounts.filter(isObject).find((mount) => mount['type'] === 'flatfs')
  if (flatfs === undefined) throw new Error('The configuration of this Kubo names no flatfs block store')
  flatfs['sync'] = true
}
