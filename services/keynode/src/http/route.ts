import { CairnError, type CallDefinition } from '@cairn/protocol'
import { type Handler, type RouteParts, routeCall } from '@cairn/service'
import type { FastifyInstance } from 'fastify'
import type { Caller, Context } from '../context.ts'
import { authorizeCall } from '../sessions/authorize.ts'

/** Binds a call of a key node. Who calls is found out with the body at hand, for it is part of what was signed. */
export function route<C extends CallDefinition>(
  app: FastifyInstance,
  context: Context,
  call: C,
  handler: Handler<C, Caller>,
): void {
  routeCall(app, routeParts(context), call, handler)
}

/** What the routes of a key node are made with. */
export function routeParts(context: Context): RouteParts<Caller> {
  return {
    metrics: context.metrics,
    rates: context.rates,
    authorizeBody: (request, call) => authorizeCall(context, request, call),
  }
}

/** A path that names another node was meant for that one. @throws CairnError WRONG_NODE */
export function requireOwnNumber({ config }: Context, node: string): void {
  if (Number(node) === config.node) return
  throw new CairnError('WRONG_NODE', {
    message: `This is key node ${config.node}; the call is for node ${node}`,
    details: { node: config.node },
  })
}
