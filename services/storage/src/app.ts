import type { NetworkProfile } from '@cairn/protocol'
import { createServiceApp, type Readiness } from '@cairn/service'
import type { FastifyInstance } from 'fastify'
import { registerAccountRoutes } from './accounts/routes.ts'
import { publicListeners } from './config.ts'
import type { Context } from './context.ts'
import { registerFileRoutes } from './files/routes.ts'
import { describeError } from './http/route.ts'
import { registerKuboRoutes } from './kubo/routes.ts'
import type { NameResolver } from './names/names.ts'
import { registerNameRoutes } from './names/routes.ts'
import { registerRoutingRoutes } from './names/routing-routes.ts'
import { registerPaymentRoutes } from './payments/routes.ts'
import { registerPinRoutes } from './pins/routes.ts'
import type { Provider } from './proofs/provider.ts'
import { registerProofRoutes } from './proofs/routes.ts'
import { registerResumableRoutes } from './resumable/routes.ts'
import { registerServiceRoutes } from './service/routes.ts'
import { registerUploadRoutes } from './uploads/routes.ts'

/** What the app needs beside its context. */
export type AppParts = {
  context: Context
  /** Storage providers that are worked with. */
  providers: readonly Provider[]
  readiness: Readiness
  names: NameResolver
  /** The profile as it is once the listeners have their ports. */
  profile: () => NetworkProfile
  /** Fires when running requests are to be cut. */
  stop: AbortSignal
}

/** The API, the upload node and the documentation: one listener. */
export function createApp({ context, names, providers, readiness, profile, stop }: AppParts): FastifyInstance {
  const { config } = context
  const app = createServiceApp({
    log: context.log,
    metrics: context.metrics,
    readiness,
    stop,
    listener: config,
    publicListeners,
    isSecure: config.publicApiUrl?.startsWith('https:') ?? false,
    dialect: 'api',
    describeError,
  })
  registerServiceRoutes(app, context, readiness, profile)
  registerAccountRoutes(app, context, profile)
  registerPaymentRoutes(app, context)
  registerUploadRoutes(app, context)
  registerKuboRoutes(app, context, names, profile)
  registerResumableRoutes(app, context)
  registerFileRoutes(app, context)
  registerPinRoutes(app, context)
  registerProofRoutes(app, context, providers)
  registerNameRoutes(app, context)
  registerRoutingRoutes(app, context, profile)
  return app
}
