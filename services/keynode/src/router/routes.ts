import {
  allCalls,
  type CallDefinition,
  callPath,
  errorTable,
  getConditions,
  getJwt,
  getKeyMessage,
  nodeNumberSchema,
  renewJwt,
} from '@cairn/protocol'
import { type RouteParts, routeCall } from '@cairn/service'
import type { FastifyInstance } from 'fastify'
import * as v from 'valibot'
import { requireSigner } from '../sessions/require-signer.ts'
import { bundleTokens } from './bundle.ts'
import type { RouterContext } from './context.ts'
import { exchangeSignature, type RenewedPart, renewBundle } from './exchange.ts'
import { forwardToAny, forwardToNode } from './forward.ts'
import { issueMessage } from './issue-message.ts'

/** Registers every call of key nodes: all nodes together answer four of them, the others are forwarded to one. */
export function registerRouterRoutes(app: FastifyInstance, context: RouterContext): void {
  const parts: RouteParts<undefined> = { metrics: context.metrics, rates: context.rates }

  routeCall(app, parts, getKeyMessage, async ({ input: { params }, raw }) => [
    { message: await issueMessage(context, requireSigner(params.address), raw.ip) },
  ])
  const bundled = (parts: readonly (RenewedPart | undefined)[]) => ({
    token: bundleTokens(
      'jwt:',
      parts.map((part) => part?.token),
    ),
    refreshToken: bundleTokens(
      'r:',
      parts.map((part) => part?.refreshToken),
    ),
  })
  routeCall(app, parts, getJwt, async ({ input: { body }, raw }) =>
    bundled(await exchangeSignature(context, { ...body, ip: raw.ip })),
  )
  routeCall(app, parts, renewJwt, async ({ input: { body }, raw }) =>
    bundled(await renewBundle(context, { ...body, ip: raw.ip })),
  )
  routeCall(app, parts, getConditions, async ({ raw, reply, signal }) => forwardToAny(context, raw, reply, signal))

  for (const call of allCalls) {
    // Peers call each other directly, not through a router.
    if (call.host !== 'keys' || !call.path.includes('{node}') || call.auth === 'peer') continue
    passOn(app, context, parts, call)
  }
}

/**
 * The router reads only the number of the node: the node checks the caller first, then what the path and the body name.
 * Dots alone would lead out of the path of the call.
 */
const forwardedParams = v.objectWithRest(
  { node: nodeNumberSchema },
  v.pipe(v.string(), v.regex(/[^.]/, errorTable.INVALID_CID.message)),
)

/** Forwards a call to the node in its path. */
function passOn(
  app: FastifyInstance,
  context: RouterContext,
  parts: RouteParts<undefined>,
  call: CallDefinition,
): void {
  const { body: _body, query: _query, ...outline } = { ...call, params: forwardedParams }
  routeCall(app, parts, outline, async ({ input: { params }, raw, reply, signal }) => {
    const queryAt = raw.url.indexOf('?')
    const path = `${callPath(call, params)}${queryAt === -1 ? '' : raw.url.slice(queryAt)}`
    return forwardToNode(context, raw, reply, { callId: call.id, node: Number(params.node), path, signal })
  })
}
