import { getMetrics } from '@cairn/protocol'
import type { FastifyBaseLogger } from 'fastify'
import type { ListenerConfig } from '../listener-settings.ts'
import { createReadiness } from '../readiness.ts'
import { createServiceApp } from './app.ts'
import { listen } from './listen.ts'
import type { Metrics } from './metrics.ts'
import { createRateLimiter } from './rate-limits.ts'
import { routeCall } from './route.ts'

/** Where metrics are served. Disposing ends it. */
export type MetricsListener = AsyncDisposable & {
  /** Absent where metrics are not served. */
  readonly url: string | undefined
}

/** Operators' programs alone connect here. */
const maxConnections = 32

/**
 * Serves the figures of a process on a listener of their own, so that no public one tells them.
 * @throws CairnError INVALID_CONFIGURATION for a port that cannot be listened on
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
    isSecure: false,
    dialect: 'api',
  })
  const parts = { metrics, rates: createRateLimiter(0, { now: () => Date.now() }) }
  routeCall(app, parts, getMetrics, async ({ reply }) =>
    reply.header('content-type', metrics.registry.contentType).send(await metrics.registry.metrics()),
  )
  try {
    const url = await listen(app, place.host, place.port, 'CAIRN_METRICS_PORT')
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
