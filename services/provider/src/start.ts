import { providerId } from '@cairn/pieces'
import { CairnError } from '@cairn/protocol'
import {
  createKeyedMutex,
  createLog,
  createLogGate,
  createRateLimiter,
  createReadiness,
  endApps,
  listen,
  lockFolder,
  makeFolder,
  openTraces,
  startMetrics,
} from '@cairn/service'
import type { Logger } from 'pino'
import { createProviderApp } from './app.ts'
import { databasePath, type ProviderConfig } from './config.ts'
import type { Clock, Context } from './context.ts'
import { openDatabase } from './db/database.ts'
import { deriveProviderKeys } from './identity.ts'
import { createProviderMetrics } from './metrics.ts'
import { createHashThread } from './pieces/hash-thread-client.ts'
import { openPieceFiles } from './pieces/piece-files.ts'
import type { PullTable } from './pieces/pull-table.ts'
import { type PullTimes, startPulls } from './pieces/pulls.ts'
import { recover } from './pieces/recover.ts'
import { startScrub } from './pieces/scrub.ts'
import { countNow } from './pieces/status.ts'
import { claimRows } from './pieces/store.ts'
import { providerVersion } from './version.ts'

/**
 * A running storage provider. Disposing stops it: it accepts no new requests, running ones finish or are aborted,
 * pulls stop.
 */
export type Provider = AsyncDisposable & {
  readonly url: string
  /** Its public key, which verifies its proofs. */
  readonly id: string
  /** URL of its metrics; undefined when they are not served. */
  readonly metricsUrl: string | undefined
  readonly context: Context
}

/** Parts that tests replace. */
export type ProviderOptions = { clock?: Clock; log?: Logger; pullTimes?: PullTimes }

/**
 * Starts a storage provider: database, files, pulls, listener. Port 0 selects a free port.
 * @throws CairnError CONFLICT (another one runs on this folder), INVALID_CONFIGURATION, UNAVAILABLE; nothing stays
 * open then
 */
export async function startProvider(config: ProviderConfig, options: ProviderOptions = {}): Promise<Provider> {
  await using stack = new AsyncDisposableStack()
  const clock = options.clock ?? { now: () => Date.now() }
  const log = options.log ?? createLog(config.logLevel, { service: 'provider', provider: config.name })
  makeFolder(config.home)
  // Two processes on one folder would write into each other's parts.
  stack.use(
    await lockFolder(config.home, {
      name: 'provider',
      holder: 'A storage provider',
      hint: 'Use or stop the running one, or choose another folder with CAIRN_PROVIDER_HOME.',
    }),
  )
  const db = stack.use(await openDatabase(databasePath(config)))
  const keys = deriveProviderKeys(config.secret)
  const failures = createLogGate({ clock, log })
  const id = providerId(keys.signing)
  const traces = stack.use(
    await openTraces(config.traces, { name: 'provider', version: providerVersion, instance: id, failures }),
  )
  const pulling: PullTable = new Map()
  const context: Context = {
    config,
    keys,
    id,
    db,
    files: await openPieceFiles(config.home),
    hashes: stack.use(createHashThread()),
    locks: createKeyedMutex(),
    pulling,
    clock,
    log,
    failures,
    traces,
    metrics: createProviderMetrics(config.capacityBytes, () => countNow({ db, pulling }), failures),
    rates: createRateLimiter(config.rateFactor, clock),
  }
  await requireOwnFolder(context)
  const { url: metricsUrl } = stack.use(await startMetrics(config, context.metrics, log))
  log.info(await recover(context), 'recovered')

  const pulls = stack.use(startPulls(context, options.pullTimes))
  stack.use(startScrub(context))
  const stop = new AbortController()
  const readiness = createReadiness({ database: () => db.ping() }, log)
  const app = createProviderApp(context, pulls, readiness, stop.signal)
  stack.defer(() => endApps([app], { readiness, stop, limits: config }))
  const own = await listen(app, config.host, config.port, { host: 'CAIRN_PROVIDER_HOST', port: 'CAIRN_PROVIDER_PORT' })
  const running = stack.move()
  return {
    url: config.publicUrl ?? own,
    id: context.id,
    metricsUrl,
    context,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** With another secret a provider would prove under another identity what was given to this one. */
async function requireOwnFolder({ db, id }: Context): Promise<void> {
  if ((await db.write((trx) => claimRows(trx, id))) === id) return
  throw new CairnError('INVALID_CONFIGURATION', {
    message: 'The pieces in this folder were stored with another secret',
    hint: 'Restore the original secret, or use another folder.',
  })
}
