import { createServiceApp, type Readiness, registerHealthRoutes } from '@cairn/service'
import type { FastifyInstance } from 'fastify'
import type { Context } from './context.ts'
import { routeParts } from './http/route.ts'
import type { Pulls } from './pieces/pulls.ts'
import { registerPieceRoutes } from './pieces/routes.ts'
import { providerVersion } from './version.ts'

/** Creates the listener of a provider. */
export function createProviderApp(
  context: Context,
  pulls: Pulls,
  readiness: Readiness,
  stop: AbortSignal,
): FastifyInstance {
  const { config } = context
  const app = createServiceApp({
    log: context.log,
    metrics: context.metrics,
    readiness,
    stop,
    listener: config,
    publicUrl: config.publicUrl,
    dialect: 'api',
    traces: context.traces,
  })
  registerHealthRoutes(app, routeParts(context), readiness, providerVersion)
  registerPieceRoutes(app, context, pulls)
  return app
}
