import { getHealth, getReadiness } from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { Readiness } from '../readiness.ts'
import { type RouteParts, routeCall } from './route.ts'

/** Registers the operator routes: liveness and readiness. */
export function registerHealthRoutes<Caller>(
  app: FastifyInstance,
  parts: RouteParts<Caller>,
  readiness: Readiness,
  version: string,
): void {
  routeCall(app, parts, getHealth, async () => ({ status: 'ok' as const }))
  routeCall(app, parts, getReadiness, async ({ input }) => {
    const dependencies = readiness.dependencies()
    return {
      status: 'ready' as const,
      version,
      parts: await readiness.check(input.query.for),
      isDegraded: dependencies.some(({ state }) => state === 'failed'),
      dependencies,
    }
  })
}
