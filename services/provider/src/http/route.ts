import { createHash, timingSafeEqual } from 'node:crypto'
import { CairnError, type CallDefinition } from '@cairn/protocol'
import { type Authorized, type Handler, type RouteParts, readBearer, routeCall } from '@cairn/service'
import { describeBusyError } from '@cairn/service/objects'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'

/** The holder of the provider's access key: there is only one. */
type KeyHolder = 'keyHolder'

/** Registers a call of a provider. */
export function route<C extends CallDefinition>(
  app: FastifyInstance,
  context: Context,
  call: C,
  handler: Handler<C, KeyHolder>,
): void {
  routeCall(app, routeParts(context), call, handler)
}

/** Dependencies of a provider's routes. */
export function routeParts({ config, metrics, rates }: Context): RouteParts<KeyHolder> {
  return {
    metrics,
    rates,
    describeError: describeBusyError,
    authorize: async (request) => requireKey(request, config.accessKey),
  }
}

const keyHint = 'Send "Authorization: Bearer" with the key of this provider.'

/** @throws CairnError UNAUTHENTICATED */
function requireKey(request: FastifyRequest, accessKey: string): Authorized<KeyHolder> {
  const given = readBearer(request.headers.authorization, keyHint)
  // Hashes have equal lengths, so the comparison takes constant time.
  const hash = (text: string) => createHash('sha256').update(text).digest()
  if (!timingSafeEqual(hash(given), hash(accessKey))) {
    throw new CairnError('UNAUTHENTICATED', { hint: keyHint })
  }
  return { caller: 'keyHolder', id: 'keyHolder' }
}
