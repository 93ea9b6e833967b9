import type { CallDefinition } from '@cairn/protocol'
import type { Handler } from '@cairn/service'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../caller.ts'
import type { Context } from '../context.ts'
import { toGatewayError } from '../gateway/gateway.ts'
import { readOptions } from '../http/kubo-client.ts'
import { requireKnownOptions } from '../http/kubo-options.ts'
import { route } from '../http/route.ts'

/** A call of Kubo with its options. */
type KuboCall = CallDefinition & { query: { entries: Readonly<Record<string, unknown>> } }

/** Registers a Kubo call: rejects unknown options, and reports read errors as the gateway does. */
export function kuboRoute<C extends KuboCall>(
  app: FastifyInstance,
  context: Context,
  call: C,
  handler: Handler<C, Caller>,
): void {
  const known = Object.keys(call.query.entries)
  route(app, context, call, async (request) => {
    requireKnownOptions(readOptions(request.raw.query), known)
    try {
      return await handler(request)
    } catch (error) {
      throw toGatewayError(error)
    }
  })
}
