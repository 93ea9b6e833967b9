import type { NetworkProfile } from '@cairn/protocol'
import { createServiceApp, type Readiness } from '@cairn/service'
import type { FastifyInstance } from 'fastify'
import { findEndedKeys } from './accounts/accounts.ts'
import { registerAccountRoutes } from './accounts/routes.ts'
import type { Context } from './context.ts'
import { registerDriveRoutes } from './drive/routes.ts'
import { registerEgressRoutes } from './egress/routes.ts'
import { registerEventRoutes } from './events/routes.ts'
import { registerFileRoutes } from './files/routes.ts'
import { fronts } from './fronts.ts'
import { registerGatewayLinkRoutes } from './gateway-links/routes.ts'
import { describeError } from './http/route.ts'
import { registerIpniRoutes } from './ipni/routes.ts'
import { registerKuboRoutes } from './kubo/routes.ts'
import { registerLinkRoutes } from './links/routes.ts'
import type { NameResolver } from './names/names.ts'
import { registerNameRoutes } from './names/routes.ts'
import { registerRoutingRoutes } from './names/routing-routes.ts'
import { registerPaymentRoutes } from './payments/routes.ts'
import { registerPinningRoutes } from './pins/pinning-routes.ts'
import { registerPinRoutes } from './pins/routes.ts'
import { registerProofRoutes } from './proofs/routes.ts'
import type { Provider } from './providers/providers.ts'
import { readTusMethod } from './resumable/resumable.ts'
import { registerResumableRoutes } from './resumable/routes.ts'
import { registerServiceRoutes } from './service/routes.ts'
import { registerThumbnailRoutes } from './thumbnails/routes.ts'
import { registerUploadLinkRoutes } from './upload-links/routes.ts'
import { registerTagRoutes } from './upload-tags/routes.ts'
import { registerUploadRoutes } from './uploads/routes.ts'
import { registerWebhookRoutes } from './webhooks/routes.ts'

/** Parts of the app besides its context. */
export type AppParts = {
  context: Context
  /** Configured storage providers. */
  providers: readonly Provider[]
  readiness: Readiness
  /** Number of public listeners of the process, which share what it may open. */
  publicListeners: number
  names: NameResolver
  /** The network profile, available once the listeners have their ports. */
  profile: () => NetworkProfile
  /** Fires when running requests must be aborted. */
  stop: AbortSignal
}

/** Creates the listener of the API, the upload node and the documentation. */
export function createApp({
  context,
  names,
  providers,
  readiness,
  publicListeners,
  profile,
  stop,
}: AppParts): FastifyInstance {
  const { config } = context
  const app = createServiceApp({
    log: context.log,
    metrics: context.metrics,
    readiness,
    stop,
    listener: config,
    publicListeners,
    publicUrl: config.publicApiUrl,
    dialect: 'api',
    describeError,
    readMethod: readTusMethod,
    traces: context.traces,
  })
  registerServiceRoutes(app, context, readiness, profile)
  registerAccountRoutes(app, context, profile)
  registerPaymentRoutes(app, context)
  registerUploadRoutes(app, context)
  registerKuboRoutes(app, context, names, profile)
  registerResumableRoutes(app, context)
  registerFileRoutes(app, context)
  registerPinRoutes(app, context)
  registerPinningRoutes(app, context, profile)
  for (const front of fronts) front.registerCalls(app, context, profile)
  registerProofRoutes(app, context, providers)
  registerNameRoutes(app, context)
  registerRoutingRoutes(app, context, profile)
  registerIpniRoutes(app, context)
  registerEventRoutes(app, context, (ids) => findEndedKeys(context, ids))
  registerWebhookRoutes(app, context)
  registerLinkRoutes(app, context)
  registerUploadLinkRoutes(app, context)
  registerGatewayLinkRoutes(app, context, profile)
  registerDriveRoutes(app, context)
  registerThumbnailRoutes(app, context)
  registerTagRoutes(app, context)
  registerEgressRoutes(app, context)
  return app
}
