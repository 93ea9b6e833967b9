import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import type { NetworkProfile } from '@cairn/protocol'
import {
  createDependencies,
  createLogGate,
  createRateLimiter,
  createReadiness,
  endApps,
  type LogGate,
  listen,
  startMetrics,
} from '@cairn/service'
import pino, { type Logger } from 'pino'
import { openContractWallets } from './accounts/find-signed.ts'
import { recountFreeStorage } from './accounts/free-storage.ts'
import { releaseAbandoned } from './accounts/quota.ts'
import { watchFreeStorage } from './accounts/watch-free-storage.ts'
import { createApp } from './app.ts'
import type { StorageConfig } from './config.ts'
import { registerConsoleRoutes } from './console/routes.ts'
import type { Clock, Context } from './context.ts'
import { openDatabase } from './db/database.ts'
import { createGatewayApp } from './gateway/app.ts'
import { lockStore } from './lock-store.ts'
import { createStorageMetrics } from './metrics.ts'
import { createDnslinkResolver, type DnslinkResolver } from './names/dnslink.ts'
import { createNameResolver, requireSameSecret } from './names/names.ts'
import { openObjects } from './objects/open-objects.ts'
import { openSecret } from './open-secret.ts'
import {
  claimPackFolder,
  comparePacks,
  createPackStore,
  type PackEvent,
  recoverPacks,
  reportComparison,
  settleComparison,
} from './packs/packs.ts'
import { describeChains } from './payments/payments.ts'
import { openProviders } from './proofs/open-providers.ts'
import { endAllWriters } from './resumable/resumable.ts'
import { startWorkers } from './start-workers.ts'
import { createPartMemory, derivePartMemory } from './uploads/uploads.ts'
import { endAllLeases } from './workers/lease.ts'

/** A storage service that runs. Disposing ends it: no new requests, running ones end or are cut, then all is closed. */
export type Storage = AsyncDisposable & {
  readonly apiUrl: string
  readonly gatewayUrl: string
  /** Where its metrics are; undefined when they are not served. */
  readonly metricsUrl: string | undefined
  readonly context: Context
  /** The network's profile as it is served. */
  readonly profile: NetworkProfile
}

/** Parts that tests replace. */
export type StartOptions = {
  clock?: Clock
  log?: Logger
  /** What the network has beside this service; it goes into the profile. */
  profile?: Partial<NetworkProfile>
}

const recoverPage = 'See docs/operate/recover.md.'

/**
 * Starts the storage service: lock, database, packs, workers, API and gateway, in this order. Port 0 takes any free port.
 * @throws CairnError CONFLICT (another one runs on this home), RECOVERY_NEEDED (database and packs do not belong together),
 *   INVALID_CONFIGURATION, UNAVAILABLE; nothing stays open then, and no pack was touched
 */
export async function startStorage(config: StorageConfig, options: StartOptions = {}): Promise<Storage> {
  // What was opened is closed in reverse, also when a later step fails.
  await using stack = new AsyncDisposableStack()
  const clock = options.clock ?? { now: () => Date.now() }
  const log =
    options.log ?? pino({ level: config.logLevel, base: { service: 'storage' }, redact: ['req.headers.authorization'] })
  const processId = randomUUID()
  const isAlone = config.database.kind === 'sqlite'
  await mkdir(config.home, { recursive: true, mode: 0o700 })
  if (isAlone) stack.use(await lockStore(config))

  const db = stack.use(await openDatabase(config.database))
  const objects = await openObjects(config, { replica: processId, isAlone })
  stack.defer(() => objects.close())
  await claimPackFolder({ db, objects })
  const metrics = createStorageMetrics()
  const { url: metricsUrl } = stack.use(await startMetrics(config, metrics, log))
  const failures = createLogGate({ clock, log })
  const dependencies = createDependencies({ clock, log, registry: metrics.registry })
  const onEvent = (event: PackEvent) => report(event, log, failures, metrics.damagedBlocks)
  const packs = createPackStore({ db, objects, clock, onEvent })
  const rates = createRateLimiter(config.rateFactor, clock)
  const secret = await openSecret(config)
  const context: Context = {
    config,
    db,
    packs,
    objects,
    clock,
    log,
    failures,
    dependencies,
    metrics,
    rates,
    partMemory: createPartMemory(config.partMemoryBytes ?? derivePartMemory()),
    askContract: openContractWallets(config, { clock, dependencies }),
    secret,
    processId,
  }

  await requireSameSecret(context)
  // Before anything is changed: this refuses a database that is older than its packs.
  const comparison = await comparePacks(context)

  const abandoned = await releaseAbandoned(context)
  watchFreeStorage(context)
  if (isAlone) {
    await db.write(recountFreeStorage)
    await endAllLeases(db)
    await endAllWriters(db)
  }
  const recovered = await recoverPacks(context)
  await settleComparison(context, comparison)
  reportComparison(comparison, onEvent)
  log.info({ ...recovered, abandonedReservations: abandoned }, 'recovered')

  const providers = openProviders(config.providers, dependencies)
  const stop = new AbortController()
  const readiness = createReadiness({ database: () => db.ping(), objects: () => objects.probe() }, log, dependencies)
  let profile: NetworkProfile | undefined
  const readProfile = () => {
    if (profile === undefined) throw new Error('the profile is made once the listeners have their ports')
    return profile
  }
  const names = createNameResolver(context, openDnslink(config, clock))
  const app = createApp({ context, names, providers, readiness, profile: readProfile, stop: stop.signal })
  if (config.consoleFolder !== undefined) {
    await registerConsoleRoutes(app, config.consoleFolder, readProfile, config.walletConnectProjectId !== undefined)
  }
  const gateway = createGatewayApp({ packs, names, log, config, clock, metrics })
  stack.defer(() => endApps([app, gateway], { readiness, stop, limits: config }))
  const ownApiUrl = await listen(app, config.host, config.port, 'CAIRN_PORT')
  const apiUrl = config.publicApiUrl ?? ownApiUrl
  const ownGatewayUrl = await listen(gateway, config.host, config.gatewayPort, 'CAIRN_GATEWAY_PORT')
  const gatewayUrl = config.publicGatewayUrl ?? ownGatewayUrl
  profile = {
    ...keyProfile(config),
    ...chainProfile(config),
    ...walletConnectProfile(config),
    ...options.profile,
    name: config.networkName,
    api: apiUrl,
    upload: apiUrl,
    gateway: gatewayUrl,
  }

  // Workers come last: providers fetch from the listeners.
  const pullUrl = config.deals.pullUrl ?? apiUrl
  stack.use(startWorkers({ context, objects, providers, pullUrl, onEvent }))

  const running = stack.move()
  return { apiUrl, gatewayUrl, metricsUrl, context, profile, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** Where the key nodes are, as the operator says; absent where there are none. */
function keyProfile({ keyRouterUrl, keyNodeUrls, keyNodePauseMs }: StorageConfig): Partial<NetworkProfile> {
  if (keyRouterUrl === undefined && keyNodeUrls.length === 0) return {}
  return {
    ...(keyRouterUrl === undefined ? {} : { keyRouter: keyRouterUrl }),
    ...(keyNodeUrls.length === 0 ? {} : { keyNodes: [...keyNodeUrls] }),
    keyNodePauseMs,
  }
}

/** Looks DNS names up where the operator says with which servers. */
function openDnslink({ dnslinkResolvers }: StorageConfig, clock: Clock): DnslinkResolver | undefined {
  return dnslinkResolvers.length === 0 ? undefined : createDnslinkResolver(dnslinkResolvers, () => clock.now())
}

/** Where payments are taken; absent where none are. */
function chainProfile({ payments }: StorageConfig): Partial<NetworkProfile> {
  const chains = describeChains(payments)
  const [chain] = chains
  return chain === undefined ? {} : { chain, chains }
}

/** How the console reaches wallets on other devices; absent where the operator has no project for it. */
function walletConnectProfile({
  walletConnectProjectId,
  walletConnectRelayUrl,
}: StorageConfig): Partial<NetworkProfile> {
  if (walletConnectProjectId === undefined) return {}
  return { walletConnect: { projectId: walletConnectProjectId, relayUrl: walletConnectRelayUrl } }
}

function report(event: PackEvent, log: Logger, failures: LogGate, damaged: { inc(count?: number): void }): void {
  switch (event.type) {
    case 'block-damaged':
      damaged.inc()
      log.error({ cid: event.cid, pack: event.objectKey }, 'a stored block is damaged')
      break
    case 'pack-damaged':
      damaged.inc(event.damagedBlocks)
      log.error(
        { pack: event.objectKey, damagedBlocks: event.damagedBlocks, faults: event.faults },
        'a stored pack is damaged',
      )
      break
    case 'worker-failed':
      failures.failed(event.worker, event.error, 'a worker failed', { worker: event.worker })
      break
    case 'pack-missing':
      log.error(
        { pack: event.objectKey, missingPacks: event.of },
        `a pack is missing: its content cannot be read. ${recoverPage}`,
      )
      break
    case 'pack-orphaned':
      log.error({ pack: event.objectKey }, `a pack without rows is kept aside: npm run storage:recover. ${recoverPage}`)
      break
    case 'pack-removed':
      log.info({ pack: event.objectKey }, 'a pack was removed')
      break
    case 'scrub-finished':
      log.info({ packs: event.packs, damagedBlocks: event.damagedBlocks }, 'scrubbed all packs')
  }
}
