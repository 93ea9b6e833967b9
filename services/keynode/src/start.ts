import {
  addDiskGauges,
  createDependencies,
  createLog,
  createLogGate,
  createMetrics,
  createRateLimiter,
  createReadiness,
  endApps,
  listen,
  makeFolder,
  openTraces,
  probeDependencies,
  startMetrics,
} from '@cairn/service'
import type { Logger } from 'pino'
import { createKeyNodeApp, keyNodeVersion } from './app.ts'
import { startBackground } from './background.ts'
import { parseChains } from './conditions/chains.ts'
import { createConditions } from './conditions/evaluate.ts'
import type { KeyNodeConfig } from './config.ts'
import type { Clock, Context } from './context.ts'
import { type Database, openDatabase } from './db/database.ts'
import { claimNode } from './db/node-row.ts'
import { deriveNodeKeys } from './identity.ts'
import { lockHome } from './lock-home.ts'
import { nameNode, type OpenedNode, openNode } from './open-keys.ts'
import { authorizeCall } from './sessions/authorize.ts'
import { createIssuedTexts } from './sessions/issued-texts.ts'
import { publicKeyOf } from './sessions/tokens.ts'
import { createNodeContractVerifier } from './sessions/verify-contract.ts'
import { createAccessLog } from './shards/access/create-access-log.ts'
import { createPeerClient } from './shards/peers/peer-client.ts'
import { probePeers } from './shards/peers/peers.ts'

/**
 * A running key node. Disposing stops it: it accepts no new requests, running ones finish or are aborted, then
 * everything is closed.
 */
export type KeyNode = AsyncDisposable & {
  readonly url: string
  readonly node: number
  /** did:key of its signing key. */
  readonly publicKey: string
  /** URL of its metrics; undefined when they are not served. */
  readonly metricsUrl: string | undefined
  readonly context: Context
}

/** Parts that tests replace. */
export type KeyNodeOptions = {
  clock?: Clock
  log?: Logger
  /** Background work of the node. Tests that make each step themselves pass one that does nothing. */
  background?: (context: Context) => AsyncDisposable
}

/**
 * Starts a key node: database, chains, listener. Port 0 selects a free port.
 * @throws CairnError CONFLICT (another one runs on this folder), INVALID_CONFIGURATION, UNAVAILABLE; nothing stays
 * open then
 */
export async function startKeyNode(config: KeyNodeConfig, options: KeyNodeOptions = {}): Promise<KeyNode> {
  await using stack = new AsyncDisposableStack()
  const clock = options.clock ?? { now: () => Date.now() }
  const log = options.log ?? createLog(config.logLevel, { service: 'keynode', node: config.node })
  makeFolder(config.home)
  stack.use(await lockHome(config))
  const db = stack.use(await openDatabase(config.database))
  const chains = parseChains(config.chains ?? '{"chains":{}}')
  const { keys, restoredAt } = await claimData(config, db)
  const metrics = createMetrics()
  const dependencies = createDependencies({ clock, log, registry: metrics.registry })
  const failures = createLogGate({ clock, log })
  addDiskGauges({ metrics, failures }, { home: config.home })
  const traces = stack.use(
    await openTraces(config.traces, {
      name: 'keynode',
      version: keyNodeVersion,
      instance: String(config.node),
      failures,
    }),
  )
  const accesses = createAccessLog({ db, clock, failures }, config.accessLogDays)
  stack.defer(() =>
    accesses.flush().catch((error: unknown) => failures.failed('accesses', error, 'failed to write the access log')),
  )
  const context: Context = {
    config,
    keys,
    db,
    restoredAt,
    peers: createPeerClient({ config, keys, clock }),
    conditions: createConditions({ chains, clock, dependencies, rateFactor: config.rateFactor }),
    verifyContract: createNodeContractVerifier(chains, { clock, dependencies }),
    accesses,
    issued: createIssuedTexts(clock),
    clock,
    log,
    failures,
    dependencies,
    metrics,
    traces,
    rates: createRateLimiter(config.rateFactor, clock),
    authorize: (request, call) => authorizeCall(context, request, call),
  }
  const { url: metricsUrl } = stack.use(await startMetrics(config, context.metrics, log))

  const stop = new AbortController()
  const readiness = createReadiness({ database: () => db.ping() }, log, dependencies)
  const app = createKeyNodeApp(context, readiness, stop.signal)
  stack.defer(() => endApps([app], { readiness, stop, limits: config }))
  const own = await listen(app, config.host, config.port, { host: 'CAIRN_KEYNODE_HOST', port: 'CAIRN_KEYNODE_PORT' })
  stack.use(probeDependencies([...context.conditions.probes, ...probePeers(context)], clock))
  stack.use((options.background ?? startBackground)(context))
  const running = stack.move()
  return {
    url: config.publicUrl ?? own,
    node: config.node,
    publicKey: publicKeyOf(context.keys.signing),
    metricsUrl,
    context,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** Opens the node of a database; a database without one is assigned to this node. */
async function claimData(config: KeyNodeConfig, db: Database): Promise<OpenedNode> {
  const keys = deriveNodeKeys(config.secret)
  await claimNode(db, nameNode(config, keys.signing))
  return (await openNode(db, config)) ?? { keys, restoredAt: 0 }
}
