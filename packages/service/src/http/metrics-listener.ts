import { getMetrics } from '@cairn/protocol'
import type { FastifyBaseLogger } from 'fastify'
import type { ListenerConfig } from '../listener-settings.ts'
import { createReadiness } from '../readiness.ts'
import { createServiceApp } from './app.ts'
import { listen } from './connections/listen.ts'
import type { Metrics } from './metrics.ts'
import { createRateLimiter } from './rate-limits.ts'
import { routeCall } from './route.ts'

/** The listener of the metrics. Disposing closes it. */
export type MetricsListener = AsyncDisposable & {
  /** Absent if metrics are disabled. */
  readonly url: string | undefined
}

/** Only programs of the operator connect here. */
const maxConnections = 32

/**
 * Serves the metrics of a process on a separate listener, so that no public one exposes them.
 * @throws CairnError INVALID_CONFIGURATION for an unusable port
 */
export async function startMetrics(
  { metrics: place, bodyTimeoutMs }: Pick<ListenerConfig, 'metrics' | 'bodyTimeoutMs'>,
  metrics: Metrics,
  log: FastifyBaseLogger,
): Promise<MetricsListener> {
  if (place === undefined) return { url: undefined, [Symbol.asyncDispose]: async () => undefined }
  const app = createServiceApp({
    log,
    metrics,
    readiness: createReadiness({}, log),
    stop: new AbortController().signal,
    listener: {
      trustedProxies: [],
      corsOrigins: [],
      bodyTimeoutMs,
      maxConnections,
      maxConnectionsPerAddress: maxConnections,
    },
    publicUrl: undefined,
    dialect: 'api',
  })
  const parts = { metrics, rates: createRateLimiter(0, { now: () => Date.now() }) }
  routeCall(app, parts, getMetrics, async ({ reply }) =>
    reply.header('content-type', metrics.registry.contentType).send(await metrics.registry.metrics()),
  )
  try {
    const url = await listen(app, place.host, place.port, { host: 'CAIRN_METRICS_HOST', port: 'CAIRN_METRICS_PORT' })
    return {
      url: `${url}${getMetrics.path}`,
      async [Symbol.asyncDispose]() {
        app.server.closeAllConnections()
        await app.close()
      },
    }
  } catch (cause) {
    await app.close()
    throw cause
  }
}
