import type { CallDefinition } from '@cairn/protocol'
import type { Handler, RouteRequest } from '@cairn/service'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../caller.ts'
import type { Context } from '../context.ts'
import { toGatewayError } from '../gateway/gateway.ts'
import { readOptions } from '../http/kubo-client.ts'
import { requireKnownOptions } from '../http/kubo-options.ts'
import { route } from '../http/route.ts'
import type { NameClient } from '../names/names.ts'

/** A call of Kubo with its options. */
type KuboCall = CallDefinition & { query: { entries: Readonly<Record<string, unknown>> } }

/** Handles a call of Kubo; `client` is who names are resolved for. */
type KuboHandler<C extends KuboCall> = (
  request: RouteRequest<C, Caller> & { client: NameClient },
) => ReturnType<Handler<C, Caller>>

/** Registers a Kubo call: rejects unknown options, and reports read errors as the gateway does. */
export function kuboRoute<C extends KuboCall>(
  app: FastifyInstance,
  context: Context,
  call: C,
  handler: KuboHandler<C>,
): void {
  const known = Object.keys(call.query.entries)
  route(app, context, call, async (request) => {
    requireKnownOptions(readOptions(request.raw.query), known)
    try {
      return await handler({ ...request, client: { address: request.raw.ip, signal: request.signal } })
    } catch (error) {
      throw toGatewayError(error)
    }
  })
}
