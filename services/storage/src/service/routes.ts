import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getNetworkProfile, getOpenApi, type NetworkProfile } from '@cairn/protocol'
import { toOpenApi } from '@cairn/protocol/openapi'
import { type Readiness, registerHealthRoutes } from '@cairn/service'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { route, routeParts } from '../http/route.ts'
import { docsPage, docsScript } from './docs-page.ts'
import { serviceVersion } from './service-version.ts'

/** Binds what tells about the service itself: health, metrics, profile, documentation. */
export function registerServiceRoutes(
  app: FastifyInstance,
  context: Context,
  readiness: Readiness,
  profile: () => NetworkProfile,
): void {
  const openApi = toOpenApi({ version: serviceVersion })
  registerHealthRoutes(app, routeParts(context), readiness, serviceVersion)
  route(app, context, getNetworkProfile, async () => profile())
  route(app, context, getOpenApi, async () => ({ openapi: '3.1.1', ...openApi }))

  // The page and its parts come from this origin alone; nothing on it is a user's.
  const policy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  const assets = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')))
  app.get('/docs', (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(docsPage),
  )
  app.get('/docs/start.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(docsScript))
  app.register(fastifyStatic, {
    root: assets,
    prefix: '/docs/assets/',
    allowedPath: (path) => /^\/swagger-ui(-bundle)?\.(js|css)$/.test(path),
  })
}
