import { CairnError, type CallDefinition } from '@cairn/protocol'
import { type Handler, type RouteParts, routeCall } from '@cairn/service'
import type { FastifyInstance } from 'fastify'
import type { Caller, Context } from '../context.ts'

/**
 * Registers a call of a key node. The caller is authenticated with the body, which is part of what was signed. A path that contains
 * the number of a node must name this one.
 */
export function route<C extends CallDefinition>(
  app: FastifyInstance,
  context: Context,
  call: C,
  handler: Handler<C, Caller>,
): void {
  routeCall(app, routeParts(context), call, async (request) => {
    const proof = request.caller?.proof
    try {
      requireOwnNumber(context, request.raw.params)
      return await handler(request)
    } finally {
      // A call that was rejected before its change: a repeated proof must not receive that answer, either.
      await proof?.mark()
    }
  })
}

/** Returns the parts from which the routes of a key node are made. */
export function routeParts({ metrics, rates, authorize }: Context): RouteParts<Caller> {
  return { metrics, rates, authorizeBody: authorize }
}

/** Rejects a path that names another node. @throws CairnError WRONG_NODE */
function requireOwnNumber({ config }: Context, params: unknown): void {
  if (typeof params !== 'object' || params === null || !('node' in params)) return
  if (Number(params.node) === config.node) return
  throw new CairnError('WRONG_NODE', {
    message: `This is key node ${config.node}, the call is for node ${params.node}`,
    details: { node: config.node },
  })
}
