import { randomUUID } from 'node:crypto'
import {
  createDependencies,
  createLog,
  createLogGate,
  createMetrics,
  createRateLimiter,
  createReadiness,
  createServiceApp,
  endApps,
  listen,
  listenerUrl,
  openTraces,
  probeDependencies,
  registerHealthRoutes,
  startMetrics,
} from '@cairn/service'
import type { Logger } from 'pino'
import type { Clock } from '../context.ts'
import { createIssuedTexts } from '../sessions/issued-texts.ts'
import type { KeyRouterConfig } from './config.ts'
import type { RouterContext } from './context.ts'
import { type NodeTarget, pingNode } from './node-client.ts'
import { registerRouterRoutes } from './routes.ts'
import { createSignatureUses } from './signature-uses.ts'

/** A running key router. Disposing stops it. */
export type KeyRouter = AsyncDisposable & {
  readonly url: string
  /** URL of its metrics; undefined when they are not served. */
  readonly metricsUrl: string | undefined
  readonly context: RouterContext
}

const version = '0.1.0'

/**
 * Starts the key router. Port 0 selects a free port. @throws CairnError INVALID_CONFIGURATION when the port is in use
 */
export async function startRouter(
  config: KeyRouterConfig,
  options: { clock?: Clock; log?: Logger } = {},
): Promise<KeyRouter> {
  await using stack = new AsyncDisposableStack()
  const clock = options.clock ?? { now: () => Date.now() }
  const log = options.log ?? createLog(config.logLevel, { service: 'keyrouter' })
  let url = config.publicUrl
  const metrics = createMetrics()
  const dependencies = createDependencies({ clock, log, registry: metrics.registry })
  const nodes = config.nodes.map(
    (node, i): NodeTarget => ({
      // In one process with its nodes, the router starts before they have their ports.
      get url() {
        return config.nodes[i] ?? node
      },
      dependency: dependencies.add({ kind: 'keyNode', name: String(i + 1) }),
    }),
  )
  const context: RouterContext = {
    config,
    nodes,
    domain: () => new URL(url ?? listenerUrl(config.host, config.port)).host,
    issued: createIssuedTexts(clock),
    uses: createSignatureUses(clock),
    clock,
    log,
    failures: createLogGate({ clock, log }),
    metrics,
    rates: createRateLimiter(config.rateFactor, clock),
  }
  const { url: metricsUrl } = stack.use(await startMetrics(config, context.metrics, log))
  const traces = stack.use(
    await openTraces(config.traces, {
      name: 'keyrouter',
      version,
      instance: randomUUID(),
      failures: context.failures,
    }),
  )
  const stop = new AbortController()
  // Stays ready without three of its nodes: each call reports the error, and another router could do no more.
  const readiness = createReadiness({}, log, dependencies)
  const app = createServiceApp({
    log,
    metrics: context.metrics,
    readiness,
    stop: stop.signal,
    listener: config,
    publicUrl: config.publicUrl,
    dialect: 'keyNode',
    traces,
  })
  const parts = { metrics: context.metrics, rates: context.rates }
  registerHealthRoutes(app, parts, readiness, version)
  registerRouterRoutes(app, context)
  stack.defer(() => endApps([app], { readiness, stop, limits: config }))
  const own = await listen(app, config.host, config.port, {
    host: 'CAIRN_KEYROUTER_HOST',
    port: 'CAIRN_KEYROUTER_PORT',
  })
  url ??= own
  const probes = nodes.map((node) => ({
    dependency: node.dependency,
    probe: (signal: AbortSignal) => pingNode(node, signal),
  }))
  stack.use(probeDependencies(probes, clock))
  const running = stack.move()
  return { url, metricsUrl, context, [Symbol.asyncDispose]: () => running.disposeAsync() }
}
