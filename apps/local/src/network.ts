import { chmod, mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { keyNodeSettings, keyRouterSettings } from '@cairn/keynode'
import { GIB, type NetworkProfile } from '@cairn/protocol'
import { providerSettings } from '@cairn/provider'
import { lockFolder, metricsPortDistance } from '@cairn/service'
import { readConfig, type Storage, settings, startStorage } from '@cairn/storage'
import { findAnvil } from './anvil.ts'
import { buildConsole } from './build-console.ts'
import { checkPorts } from './check-ports.ts'
import { type KeyNetwork, nodeNumbers, startKeyNetwork } from './key-network.ts'
import { type LocalChain, startLocalChain } from './local-chain.ts'
import { removeNetworkFile, writeNetworkFile } from './network-file.ts'
import { createPartGroup } from './part-group.ts'
import { type ProviderNetwork, startProviderNetwork } from './provider-network.ts'
import { publishedTestChains } from './published-test-names.ts'
import { openTestWallet, type TestWallet } from './test-wallet.ts'

/** A whole network on this machine. Disposing ends all of it. */
export type Network = AsyncDisposable & {
  /** As in `network.json`, the test wallet included. */
  readonly profile: NetworkProfile & { wallet: TestWallet }
  readonly home: string
  readonly storage: Storage
  readonly keys: KeyNetwork
  /** The storage providers; none where none were asked for. */
  readonly providers: ProviderNetwork['providers']
  /** The local chain; absent where it was not asked for, or this machine has no program for it. */
  readonly chain: LocalChain | undefined
}

export type NetworkOptions = {
  /** Folder of data and secrets; made where it is missing. */
  home: string
  /** `default`: the documented ports; `any`: free ones, for tests. */
  ports?: 'default' | 'any'
  /** `processes`: each key node and provider is a process of its own, as operators run them; `inside`: all are in this one, for tests. */
  keyNodes?: 'processes' | 'inside'
  /** How many storage providers are started; none unless told, and none where the settings name others. */
  providers?: number
  /** `none`: no chain is started, for tests that pay nothing; a chain in the settings is used as it is. */
  chain?: 'local' | 'none'
  /** `build`: the web console is built where it has to be, and served; none unless told. */
  console?: 'build' | 'none'
  /** Told when the console has to be built, which takes seconds. */
  onBuildConsole?: () => void
  /** How long a transaction waits for its block at least, in ms; 300 unless told: published clients need a quarter of a second. */
  mineEveryMs?: number
  /** `CAIRN_` settings, as the environment has them. */
  environment?: Record<string, string | undefined>
  /** Ends the start early: what was started ends, and the call throws the signal's reason. */
  signal?: AbortSignal
}

/** What differs at home from a deployed service: nobody has to be kept from using much. */
const localDefaults = {
  CAIRN_NETWORK_NAME: 'local',
  CAIRN_FREE_BYTES: String(100 * GIB),
  CAIRN_FREE_TOTAL_BYTES: '',
  CAIRN_FREE_DISK_RESERVE: '0',
  CAIRN_FREE_ACCOUNTS_PER_DAY: '',
  CAIRN_RATE_FACTOR: '1000',
  CAIRN_STOP_TIMEOUT_SECONDS: '3',
  CAIRN_LOG_LEVEL: 'warn',
}

/** Here a proof should be there while somebody waits for it: packs become deals after a second, and are proven every minute. */
const localDealSettings = {
  CAIRN_DEALS: JSON.stringify({ waitSeconds: 1, challengeSeconds: 60, pollMs: 500 }),
}

/** Pause between calls to key nodes, in ms: here nobody has to be spared. */
const keyNodePauseMs = 0

/** Every name that some part of the network reads. */
const allNames = new Set(
  [settings, keyNodeSettings, keyRouterSettings, providerSettings].flatMap((record) => Object.keys(record)),
)

/**
 * Starts the whole network in this process and writes `network.json` when all of it is ready.
 * @throws CairnError INVALID_CONFIGURATION (settings, ports, secrets), CONFLICT (another one runs on this folder);
 *   nothing stays open then
 */
export async function createNetwork({
  home: folder,
  ports = 'default',
  keyNodes = 'inside',
  providers: wantedProviders = 0,
  chain: wantedChain = 'local',
  mineEveryMs = 300,
  console: wantedConsole = 'none',
  onBuildConsole,
  environment: asGiven = {},
  signal,
}: NetworkOptions): Promise<Network> {
  const home = resolve(folder)
  // One port cannot be that of every service's metrics: each has its own, above the one it listens on.
  const metricsPort = asGiven['CAIRN_METRICS_PORT'] === 'off' ? 'off' : ''
  const given: Record<string, string | undefined> = { ...asGiven, CAIRN_METRICS_PORT: metricsPort }
  const anyPort = ports === 'any' ? { CAIRN_PORT: '0', CAIRN_GATEWAY_PORT: '0' } : {}
  const read = (environment: Record<string, string | undefined>) =>
    readConfig({ ...localDefaults, ...environment, ...anyPort, CAIRN_HOME: home }, allNames)
  const first = read(given)
  const keyPorts =
    ports === 'any'
      ? { router: 0, nodes: nodeNumbers.map(() => 0) }
      : { router: 9000 + first.portOffset, nodes: nodeNumbers.map((node) => 9000 + first.portOffset + node) }
  const program = wantedChain === 'none' || given['CAIRN_PAYMENTS'] ? undefined : findAnvil(given['PATH'])
  const providerCount = given['CAIRN_PROVIDERS'] || given['CAIRN_PROVIDERS_FILE'] ? 0 : wantedProviders
  const providerPorts = Array.from({ length: providerCount }, (_provider, i) =>
    ports === 'any' ? 0 : 8090 + first.portOffset + i,
  )
  const chainPort = ports === 'any' ? 0 : 8545 + first.portOffset
  await mkdir(home, { recursive: true, mode: 0o700 })
  await chmod(home, 0o700)

  await using stack = new AsyncDisposableStack()
  stack.use(
    await lockFolder(home, {
      name: 'network',
      holder: 'A local network',
      hint: 'Use the one that runs, stop it, or choose another folder with CAIRN_HOME.',
    }),
  )
  // What an earlier run left when it was killed would send clients to ports where nobody listens.
  await removeNetworkFile(home)
  if (ports === 'default') {
    const services = [
      { part: 'storage', port: first.port },
      { part: 'key router', port: keyPorts.router },
      ...keyPorts.nodes.map((port, i) => ({ part: `key node ${i + 1}`, port })),
      ...providerPorts.map((port, i) => ({ part: `storage provider ${i + 1}`, port })),
    ]
    await checkPorts(first.host, [
      ...services,
      { part: 'gateway', port: first.gatewayPort },
      ...(program === undefined ? [] : [{ part: 'chain', port: chainPort }]),
    ])
    if (first.metrics !== undefined) {
      const metricsPorts = services.map(({ part, port }) => ({
        part: `metrics of ${part}`,
        port: port + metricsPortDistance,
      }))
      await checkPorts(first.metrics.host, metricsPorts)
    }
  }
  // The bundler works while the services start.
  const isConsoleBuilt = wantedConsole === 'build' && !given['CAIRN_CONSOLE_FOLDER']
  const building = isConsoleBuilt ? buildConsole({ onBuild: onBuildConsole, signal }) : undefined
  building?.catch(() => undefined)
  const wallet = await openTestWallet(home)
  const group = stack.use(createPartGroup())
  const chain =
    program === undefined
      ? undefined
      : group.use(
          await startLocalChain(program, {
            home,
            host: first.host,
            port: chainPort,
            wallet: wallet.address,
            mineEveryMs,
            signal,
          }),
        )
  const environment = { ...given, ...chainSettings(chain, given) }
  let config = read(environment)
  let apiUrls = [
    `http://${config.host}:${config.port}`,
    ...(config.publicApiUrl === undefined ? [] : [config.publicApiUrl]),
  ]
  const keys = group.use(
    await startKeyNetwork({
      home,
      networkName: config.networkName,
      host: config.host,
      run: keyNodes,
      apiUrls: () => apiUrls,
      ports: keyPorts,
      stopTimeoutMs: config.stopTimeoutMs,
      signal,
      environment: { ...localDefaults, ...environment },
      foreign: allNames,
    }),
  )
  const keyProfile = { keyRouter: keys.router.url, keyNodes: keys.nodes.map(({ url }) => url), keyNodePauseMs }
  const { providers, setting } = group.use(
    await startProviderNetwork({
      home,
      host: config.host,
      ports: providerPorts,
      run: keyNodes,
      sources: () => apiUrls,
      stopTimeoutMs: config.stopTimeoutMs,
      signal,
      environment: { ...localDefaults, ...environment },
      foreign: allNames,
    }),
  )
  if (providers.length > 0) config = read({ ...localDealSettings, ...environment, CAIRN_PROVIDERS: setting })
  const providerProfile = providers.length === 0 ? {} : { providers: providers.map(({ id, url }) => ({ id, url })) }
  const consoleFolder = (await building) ?? config.consoleFolder
  signal?.throwIfAborted()
  const storage = stack.use(
    await startStorage({ ...config, consoleFolder }, { profile: { ...keyProfile, ...providerProfile } }),
  )
  apiUrls = [storage.apiUrl]
  const profile = { ...storage.profile, wallet }
  stack.defer(() => removeNetworkFile(home))
  await writeNetworkFile(home, profile)

  const running = stack.move()
  return { profile, home, storage, keys, providers, chain, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** What all parts are told of the local chain, where the settings do not say otherwise. */
function chainSettings(
  chain: LocalChain | undefined,
  given: Record<string, string | undefined>,
): Record<string, string> {
  if (chain === undefined) return {}
  const local = {
    family: 'evm',
    chainId: chain.chainId,
    rpcUrls: [chain.url],
    confirmations: 0,
    aliases: publishedTestChains,
  }
  return {
    CAIRN_PAYMENTS: chain.payments,
    CAIRN_FAUCET_KEY: chain.faucetKey,
    ...(given['CAIRN_EVM_RPC_URL'] ? {} : { CAIRN_EVM_RPC_URL: chain.url }),
    ...(given['CAIRN_KEYNODE_CHAINS'] ? {} : { CAIRN_KEYNODE_CHAINS: JSON.stringify({ chains: { local } }) }),
  }
}
