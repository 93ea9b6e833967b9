import { randomUUID } from 'node:crypto'
import { CairnError, type NetworkProfile } from '@cairn/protocol'
import {
  createDependencies,
  createLog,
  createLogGate,
  createRateLimiter,
  createReadiness,
  endApps,
  listen,
  makeFolder,
  matchAddresses,
  openTraces,
  startMetrics,
} from '@cairn/service'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { authorizeCall } from './accounts/authorize.ts'
import { openContractWallets } from './accounts/find-signed.ts'
import { createApp } from './app.ts'
import type { StorageConfig } from './config.ts'
import { registerConsoleRoutes } from './console/routes.ts'
import type { Clock, Context } from './context.ts'
import { openDatabase } from './db/database.ts'
import { requireSharedSecret } from './db/shared-secret.ts'
import { describeNetwork } from './describe-network.ts'
import { createEgress } from './egress/egress.ts'
import { findEventSigner } from './events/events.ts'
import { servedFronts } from './fronts.ts'
import { createGatewayApp } from './gateway/app.ts'
import { createGatewayLinks } from './gateway-links/gateway-links.ts'
import { createSharedRates } from './http/shared-rates.ts'
import { recountFreeStorage, releaseAll, watchFreeStorage } from './ledger/ledger.ts'
import { lockStore } from './lock-store.ts'
import { createStorageMetrics } from './metrics.ts'
import { openDenylist } from './moderation/moderation.ts'
import { createDnslinkResolver, type DnslinkResolver } from './names/dnslink.ts'
import { createNameResolver, requireSameSecret } from './names/names.ts'
import { openCache, openObjects } from './objects/open-objects.ts'
import {
  claimPackFolder,
  comparePacks,
  createPackStore,
  type PackEvent,
  recoverPacks,
  reportComparison,
  settleComparison,
} from './packs/packs.ts'
import { describeHowToPay } from './payments/payments.ts'
import { createPictures } from './pictures/pictures.ts'
import { endAllPinOwners } from './pins/store.ts'
import { openProviders } from './providers/providers.ts'
import { reportPackEvent } from './report-pack-event.ts'
import { createPartMemory, derivePartMemory } from './resources/part-memory.ts'
import { createUserPriority } from './resources/user-priority.ts'
import { endAllWriters } from './resumable/resumable.ts'
import { openSecret } from './secrets/open-secret.ts'
import { serviceVersion } from './service/service-version.ts'
import { startWorkers } from './start-workers.ts'
import { endAllDeliveryOwners, requireWebhookSecret } from './webhooks/webhooks.ts'
import { endAllLeases } from './workers/lease.ts'
import { watchMachine } from './workers/measure-store.ts'

/**
 * A running storage service. Disposing stops it: it accepts no new requests, running ones finish or are aborted, then
 * everything is closed.
 */
export type Storage = AsyncDisposable & {
  readonly apiUrl: string
  readonly gatewayUrl: string
  /** URL of its metrics; undefined when they are not served. */
  readonly metricsUrl: string | undefined
  readonly context: Context
  /** The served network profile. */
  readonly profile: NetworkProfile
}

/** Parts that tests replace. */
export type StartOptions = {
  clock?: Clock
  log?: Logger
  /** Other services of the network, for the profile. */
  profile?: Partial<NetworkProfile>
}

/**
 * Starts the storage service: lock, database, packs, gateway, other listeners, API and workers, in this order. Port 0 selects a free
 * port.
 * @throws CairnError CONFLICT (another one runs on this home), RECOVERY_NEEDED (database and packs do not belong
 * together), INVALID_CONFIGURATION, UNAVAILABLE; nothing stays open then, and no pack was touched
 */
export async function startStorage(config: StorageConfig, options: StartOptions = {}): Promise<Storage> {
  // Everything opened is closed in reverse order, even when a later step fails.
  await using stack = new AsyncDisposableStack()
  const clock = options.clock ?? { now: () => Date.now() }
  const log = options.log ?? createLog(config.logLevel, { service: 'storage' })
  const processId = randomUUID()
  const isAlone = config.database.kind === 'sqlite'
  makeFolder(config.home)
  if (isAlone) stack.use(await lockStore(config))

  const db = stack.use(await openDatabase(config.database))
  const objects = await openObjects(config, { replica: processId, isAlone })
  stack.defer(() => objects.close())
  await claimPackFolder({ db, objects })
  const metrics = createStorageMetrics()
  const { url: metricsUrl } = stack.use(await startMetrics(config, metrics, log))
  const failures = createLogGate({ clock, log })
  const dependencies = createDependencies({ clock, log, registry: metrics.registry })
  const onEvent = (event: PackEvent) => reportPackEvent(event, { log, failures, metrics })
  const traces = stack.use(
    await openTraces(config.traces, { name: 'storage', version: serviceVersion, instance: processId, failures }),
  )
  const cache = await openCache(config, objects, metrics)
  if (cache !== undefined) stack.defer(() => cache.close())
  const userPriority = createUserPriority()
  const packs = createPackStore({ db, objects, cache, clock, onEvent, onWrite: userPriority.noteTransfer })
  const rates = createRateLimiter(config.rateFactor, clock)
  const secret = await openSecret(config)
  const sharedRates = isAlone ? undefined : createSharedRates({ config, db, clock, secret })
  const denials = openDenylist({ config, db, log, failures, metrics })
  await denials.refresh()
  const context: Context = {
    config,
    authorize: (request, call) => authorizeCall(context, request, call),
    describeHowToPay: (reader, missingBytes) => describeHowToPay(reader, config.payments, missingBytes),
    db,
    packs,
    denylist: denials.denylist,
    objects,
    clock,
    log,
    failures,
    dependencies,
    metrics,
    rates,
    sharedRates,
    keyNodeUrls: options.profile?.keyNodes ?? config.keyNodeUrls,
    egress: createEgress({ db, clock }),
    partMemory: createPartMemory(config.partMemoryBytes ?? derivePartMemory()),
    userPriority,
    queryContract: openContractWallets(config, { clock, dependencies }),
    secret,
    secondarySecret: config.secondarySecret,
    processId,
    traces,
  }

  await requireSharedSecret(context)
  await requireSameSecret(context)
  await requireWebhookSecret(context)
  // Before any change: this rejects a database that is older than its packs.
  const comparison = await comparePacks(context)

  // With other replicas running, the worker releases those of replicas that are gone.
  const abandoned = isAlone ? await releaseAll(context) : 0
  watchFreeStorage(context)
  watchMachine(context)
  if (isAlone) {
    await db.write(recountFreeStorage)
    await endAllLeases(db)
    await endAllWriters(db)
    await endAllPinOwners(db)
    await endAllDeliveryOwners(db)
  }
  const recovered = await recoverPacks(context)
  await settleComparison(context, comparison)
  reportComparison(comparison, onEvent)
  log.info({ ...recovered, abandonedReservations: abandoned }, 'recovered')

  const providers = openProviders(config.providers, { dependencies, clock })
  const stop = new AbortController()
  const readiness = createReadiness(
    { database: (purpose) => db.ping(purpose), objects: () => objects.probe() },
    log,
    dependencies,
    ['objects'],
  )
  let profile: NetworkProfile | undefined
  const readProfile = () => {
    if (profile !== undefined) return profile
    throw new CairnError('UNAVAILABLE', { message: 'The service is starting', retryAfterSeconds: 1 })
  }
  const names = createNameResolver(context, openDnslink(config, clock))
  const served = servedFronts(config)
  // API and gateway are always served.
  const publicListeners = served.length + 2
  const app = createApp({
    context,
    names,
    providers,
    readiness,
    publicListeners,
    profile: readProfile,
    stop: stop.signal,
  })
  if (config.consoleFolder !== undefined) {
    const needsWalletConnect = config.walletConnectProjectId !== undefined
    await registerConsoleRoutes(app, config.consoleFolder, readProfile, { needsWalletConnect })
  }
  const pictures = stack.use(createPictures({ config, metrics, failures }))
  const gateway = createGatewayApp({
    packs,
    links: createGatewayLinks(context),
    denylist: denials.denylist,
    names,
    pictures,
    publicListeners,
    log,
    config,
    clock,
    metrics,
    traces: context.traces,
    onSent: context.egress.note,
    onMore: userPriority.noteTransfer,
  })
  const others = served.map(({ front, port }) => ({
    front,
    port,
    app: front.createApp({ context, readiness, publicListeners, stop: stop.signal }),
  }))
  const apps = [app, gateway, ...others.map((other) => other.app)]
  stack.defer(() => endApps(apps, { readiness, stop, limits: config }))
  const listenOn = (one: FastifyInstance, port: number, setting: string) =>
    listen(one, config.host, port, { host: 'CAIRN_HOST', port: setting })
  const ownGatewayUrl = await listenOn(gateway, config.gatewayPort, 'CAIRN_GATEWAY_PORT')
  const gatewayUrl = config.publicGatewayUrl ?? ownGatewayUrl
  let frontProfiles: Partial<NetworkProfile> = {}
  for (const { front, port, app: other } of others) {
    const url = await listenOn(other, port, front.portSetting)
    frontProfiles = { ...frontProfiles, ...front.describe(config, url) }
  }
  // Last, because its calls return the profile, which contains the addresses of the others.
  const ownApiUrl = await listenOn(app, config.port, 'CAIRN_PORT')
  const apiUrl = config.publicApiUrl ?? ownApiUrl
  profile = describeNetwork(config, {
    apiUrl,
    gatewayUrl,
    eventSigner: findEventSigner(context),
    others: { ...frontProfiles, ...options.profile },
  })

  // Workers start last, because providers fetch from the listeners.
  const pullUrl = config.deals.pullUrl ?? apiUrl
  stack.use(startWorkers({ context, denials, objects, providers, profile, pullUrl, onEvent }))

  const running = stack.move()
  return { apiUrl, gatewayUrl, metricsUrl, context, profile, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** Resolves DNS names with the configured servers, if any. */
function openDnslink({ dnslinkResolvers, trustedProxies }: StorageConfig, clock: Clock): DnslinkResolver | undefined {
  if (dnslinkResolvers.length === 0) return undefined
  return createDnslinkResolver(dnslinkResolvers, () => clock.now(), { isExempt: matchAddresses(trustedProxies) })
}
