import type { CallDefinition } from '@cairn/protocol'
import type { Handler } from '@cairn/service'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../accounts/accounts.ts'
import type { Context } from '../context.ts'
import { toGatewayError } from '../gateway/open-path.ts'
import { route } from '../http/route.ts'
import { readOptions } from './kubo-client.ts'
import { requireKnownOptions } from './kubo-options.ts'

/** A call of Kubo with its options. */
type KuboCall = CallDefinition & { query: { entries: Readonly<Record<string, unknown>> } }

/** Binds a call of Kubo: options that it does not know are refused, and errors of reading are told as the gateway does. */
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
