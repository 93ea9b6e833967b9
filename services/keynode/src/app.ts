import { createServiceApp, type Readiness, registerHealthRoutes } from '@cairn/service'
import type { FastifyInstance } from 'fastify'
import type { Context } from './context.ts'
import { routeParts } from './http/route.ts'
import { registerSessionRoutes } from './sessions/routes.ts'
import { registerShardRoutes } from './shards/routes.ts'
import { registerSpareRoutes } from './spares/routes.ts'

/** API version, as reported by readiness. */
export const keyNodeVersion = '0.1.0'

/** Creates the listener of a key node. */
export function createKeyNodeApp(context: Context, readiness: Readiness, stop: AbortSignal): FastifyInstance {
  const { config } = context
  const app = createServiceApp({
    log: context.log,
    metrics: context.metrics,
    readiness,
    stop,
    listener: config,
    publicUrl: config.publicUrl,
    dialect: 'keyNode',
    traces: context.traces,
  })
  registerHealthRoutes(app, routeParts(context), readiness, keyNodeVersion)
  registerSessionRoutes(app, context)
  registerShardRoutes(app, context)
  registerSpareRoutes(app, context)
  return app
}
