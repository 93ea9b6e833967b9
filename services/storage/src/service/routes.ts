import { getNetworkProfile, getOpenApi, type NetworkProfile } from '@cairn/protocol'
import { toOpenApi } from '@cairn/protocol/openapi'
import { type Readiness, registerHealthRoutes } from '@cairn/service'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { route, routeParts } from '../http/route.ts'
import { readStoragePrice } from '../ledger/ledger.ts'
import { registerDocsPage } from './docs-page.ts'
import { serviceVersion } from './service-version.ts'

/** Registers the routes about the service itself: health, metrics, profile, documentation. */
export function registerServiceRoutes(
  app: FastifyInstance,
  context: Context,
  readiness: Readiness,
  profile: () => NetworkProfile,
): void {
  // Made at the first request: it takes a fifth of the start.
  let openApi: ReturnType<typeof toOpenApi> | undefined
  registerHealthRoutes(app, routeParts(context), readiness, serviceVersion)
  route(app, context, getNetworkProfile, async () => {
    const { config, db } = context
    if (config.payments.networks.length === 0) return profile()
    return { ...profile(), usdPerGib: (await readStoragePrice(db.read)).usdPerGib }
  })
  route(app, context, getOpenApi, async () => {
    openApi ??= toOpenApi({ version: serviceVersion })
    return { openapi: '3.1.1', ...openApi }
  })
  registerDocsPage(app)
}
