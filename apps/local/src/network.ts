import { chmod } from 'node:fs/promises'
import { resolve } from 'node:path'
import { keyNodeSettings, keyRouterSettings } from '@cairn/keynode'
import { GIB, type NetworkProfile } from '@cairn/protocol'
import { providerSettings } from '@cairn/provider'
import { listenerUrl, lockFolder, makeFolder } from '@cairn/service'
import { findOrCreateS3Credential, readConfig, type Storage, settings, startStorage } from '@cairn/storage'
import { buildConsole } from './build-console.ts'
import { findAnvil } from './chain/anvil.ts'
import { type LocalChain, startLocalChain } from './chain/local-chain.ts'
import { publishedTestChains, publishedTestClusters } from './chain/published-test-names.ts'
import { removeNetworkFile, writeNetworkFile } from './home/network-file.ts'
import { openTestWallet, type TestWallet } from './home/test-wallet.ts'
import { type KeyNetwork, startKeyNetwork } from './key-network.ts'
import { choosePorts, requireFreePorts } from './network-ports.ts'
import { createPartGroup } from './processes/part-group.ts'
import { type ProviderNetwork, startProviderNetwork } from './provider-network.ts'
import { loadLitesvm } from './solana/litesvm.ts'
import { type LocalSolana, startLocalSolana } from './solana/local-solana.ts'

/** A complete network on this machine. Disposing stops it. */
export type Network = AsyncDisposable & {
  /** As in `network.json`, including the test wallet. */
  readonly profile: NetworkProfile & { wallet: TestWallet }
  readonly home: string
  readonly storage: Storage
  readonly keys: KeyNetwork
  /** The storage providers; empty if none were requested. */
  readonly providers: ProviderNetwork['providers']
  /** The local chain; absent if it was not requested, or this machine has no program for it. */
  readonly chain: LocalChain | undefined
  /** The local Solana chain; absent with the local chain, with chains of the settings, or without an engine for this machine. */
  readonly solana: LocalSolana | undefined
}

export type NetworkOptions = {
  /** Folder of data and secrets; created if missing. */
  home: string
  /** `default`: the documented ports; `any`: free ones, for tests. */
  ports?: 'default' | 'any'
  /**
   * `processes`: each key node and provider in its own process, as operators run them; `inside`: all in this process, for
   * tests.
   */
  keyNodes?: 'processes' | 'inside'
  /** Number of storage providers. Defaults to none; also none if the settings name others. */
  providers?: number
  /** `none`: starts no chains, for tests without payments; a chain in the settings is used unchanged. */
  chain?: 'local' | 'none'
  /** `build`: builds the web console if required, and serves it. Defaults to none. */
  console?: 'build' | 'none'
  /** Called when the console must be built, which takes seconds. */
  onBuildConsole?: () => void
  /** Called with what the user should know about the state of the local chain, for example that it was damaged. */
  onNotice?: (text: string) => void
  /**
   * Minimum time in ms that a transaction waits for its block. Defaults to 300: published clients need a quarter of a
   * second.
   */
  mineEveryMs?: number
  /** `CAIRN_` settings from the environment. */
  environment?: Record<string, string | undefined>
  /** Aborts the start: started services stop, and the call throws the reason of the signal. */
  signal?: AbortSignal
}

/** Differences between a local network and a deployed one: there is no abuse to limit. */
const localDefaults = {
  CAIRN_NETWORK_NAME: 'local',
  CAIRN_FREE_BYTES: String(100 * GIB),
  CAIRN_FREE_TOTAL_BYTES: '',
  CAIRN_FREE_DISK_RESERVE: '0',
  CAIRN_FREE_ACCOUNTS_PER_DAY: '',
  CAIRN_PIN_PRIVATE_ORIGINS: 'on',
  CAIRN_WEBHOOK_PRIVATE_ADDRESSES: 'on',
  CAIRN_RATE_FACTOR: '1000',
  CAIRN_STOP_TIMEOUT_SECONDS: '3',
  CAIRN_LOG_LEVEL: 'warn',
}

/** Users of a local network wait for proofs: packs enter deals after a second, and are proven every minute. */
const localDealSettings = {
  CAIRN_DEALS: JSON.stringify({ waitSeconds: 1, challengeSeconds: 60, pollMs: 500 }),
}

/** Pause in ms between calls to key nodes: here there is no load to limit. */
const keyNodePauseMs = 0

/** All setting names of all services. */
const allNames = new Set(
  [settings, keyNodeSettings, keyRouterSettings, providerSettings].flatMap((record) => Object.keys(record)),
)

/**
 * Starts the complete network in this process and writes `network.json` when all of it is ready.
 * @throws CairnError INVALID_CONFIGURATION (settings, ports, secrets), CONFLICT (another network uses this folder);
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
  onNotice,
  environment: asGiven = {},
  signal,
}: NetworkOptions): Promise<Network> {
  const home = resolve(folder)
  // The services cannot share one metrics port: each has its own, above its listener.
  const metricsPort = asGiven['CAIRN_METRICS_PORT'] === 'off' ? 'off' : ''
  const given: Record<string, string | undefined> = { ...asGiven, CAIRN_METRICS_PORT: metricsPort }
  const anyPort = ports === 'any' ? { CAIRN_PORT: '0', CAIRN_GATEWAY_PORT: '0', CAIRN_S3_API_PORT: '0' } : {}
  const readAt = (s3Port: number, environment: Record<string, string | undefined>) =>
    readConfig(
      { ...localDefaults, CAIRN_S3_API_PORT: String(s3Port), ...anyPort, ...environment, CAIRN_HOME: home },
      allNames,
    )
  const { portOffset } = readAt(0, given)
  const read = (environment: Record<string, string | undefined>) => readAt(8082 + portOffset, environment)
  const first = read(given)
  const program = wantedChain === 'none' || given['CAIRN_PAYMENTS'] ? undefined : findAnvil(given['PATH'])
  const litesvm = wantedChain === 'none' || given['CAIRN_KEYNODE_CHAINS'] ? undefined : loadLitesvm()
  const providerCount = given['CAIRN_PROVIDERS'] || given['CAIRN_PROVIDERS_FILE'] ? 0 : wantedProviders
  const partPorts = choosePorts(ports, portOffset, providerCount)
  makeFolder(home)
  await chmod(home, 0o700)

  await using stack = new AsyncDisposableStack()
  stack.use(
    await lockFolder(home, {
      name: 'network',
      holder: 'A local network',
      hint: 'Use or stop the running one, or choose another folder with CAIRN_HOME.',
    }),
  )
  // The file of a killed run would send clients to closed ports.
  await removeNetworkFile(home)
  if (ports === 'default') {
    await requireFreePorts(first, partPorts, { hasChain: program !== undefined, hasSolana: litesvm !== undefined })
  }
  // The bundler runs while the services start.
  const isConsoleBuilt = wantedConsole === 'build' && !given['CAIRN_CONSOLE_FOLDER']
  const building = isConsoleBuilt ? buildConsole({ onBuild: onBuildConsole, signal }) : undefined
  building?.catch(() => undefined)
  const wallet = await openTestWallet(home)
  const group = stack.use(createPartGroup())
  let apiUrls = [listenerUrl(first.host, first.port), ...(first.publicApiUrl === undefined ? [] : [first.publicApiUrl])]
  const common = {
    home,
    host: first.host,
    run: keyNodes,
    stopTimeoutMs: first.stopTimeoutMs,
    signal,
    foreign: allNames,
  }
  // Processes start at the same time: each waits for others only if it needs their addresses.
  const startingProviders = group.start(
    startProviderNetwork({
      ...common,
      ports: partPorts.providers,
      sources: () => apiUrls,
      environment: { ...localDefaults, ...given },
    }),
  )
  const chain =
    program === undefined
      ? undefined
      : group.use(
          await startLocalChain(program, {
            home,
            host: first.host,
            port: partPorts.chain,
            wallet: wallet.address,
            mineEveryMs,
            signal,
            onNotice,
          }),
        )
  const solana =
    litesvm === undefined
      ? undefined
      : group.use(await startLocalSolana(litesvm, { home, host: first.host, port: partPorts.solana }))
  const environment = { ...given, ...paymentSettings(chain, given), ...conditionSettings(chain, solana, given) }
  const startingKeys = group.start(
    startKeyNetwork({
      ...common,
      networkName: first.networkName,
      apiUrls: () => apiUrls,
      ports: partPorts.keys,
      environment: { ...localDefaults, ...environment },
    }),
  )
  const [keys, { providers, setting }] = await Promise.all([startingKeys, startingProviders])
  const keyProfile = { keyRouter: keys.router.url, keyNodes: keys.nodes.map(({ url }) => url), keyNodePauseMs }
  let config = read(environment)
  if (providers.length > 0) config = read({ ...localDealSettings, ...environment, CAIRN_PROVIDERS: setting })
  const providerProfile = providers.length === 0 ? {} : { providers: providers.map(({ id, url }) => ({ id, url })) }
  const consoleFolder = (await building) ?? config.consoleFolder
  signal?.throwIfAborted()
  const storage = stack.use(
    await startStorage({ ...config, consoleFolder }, { profile: { ...keyProfile, ...providerProfile } }),
  )
  apiUrls = [storage.apiUrl]
  const profile = { ...storage.profile, ...(await openS3(storage, wallet)), wallet }
  stack.defer(() => removeNetworkFile(home))
  await writeNetworkFile(home, profile)

  const running = stack.move()
  return { profile, home, storage, keys, providers, chain, solana, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** The S3 API with an access key of the test wallet, the same at every start. */
async function openS3({ context, profile: { s3 } }: Storage, wallet: TestWallet): Promise<Pick<NetworkProfile, 's3'>> {
  if (s3 === undefined) return {}
  const keys = await findOrCreateS3Credential(context, wallet.address.toLowerCase(), 'local network')
  return { s3: { ...s3, ...keys } }
}

/** Settings of the local chain for all services, as defaults. */
function paymentSettings(
  chain: LocalChain | undefined,
  given: Record<string, string | undefined>,
): Record<string, string> {
  if (chain === undefined) return {}
  return {
    CAIRN_PAYMENTS: chain.payments,
    CAIRN_FAUCET_KEY: chain.faucetKey,
    ...(given['CAIRN_EVM_RPC_URL'] ? {} : { CAIRN_EVM_RPC_URL: chain.url }),
  }
}

/** The local chains for conditions, as defaults. */
function conditionSettings(
  evm: LocalChain | undefined,
  solana: LocalSolana | undefined,
  given: Record<string, string | undefined>,
): Record<string, string> {
  if (given['CAIRN_KEYNODE_CHAINS'] || (evm === undefined && solana === undefined)) return {}
  const chains = {
    ...(evm && {
      local: {
        family: 'evm',
        chainId: evm.chainId,
        rpcUrls: [evm.url],
        confirmations: 0,
        aliases: publishedTestChains,
      },
    }),
    ...(solana && {
      'local Solana': {
        family: 'solana',
        chainId: solana.genesisHash,
        rpcUrls: [solana.url],
        aliases: publishedTestClusters,
      },
    }),
  }
  return { CAIRN_KEYNODE_CHAINS: JSON.stringify({ chains }) }
}
