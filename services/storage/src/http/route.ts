import { CairnError, type CallDefinition, type DialectName } from '@cairn/protocol'
import { type Authorize, type Handler, type RouteParts, readBearer, routeCall } from '@cairn/service'
import { UnixfsError } from '@cairn/unixfs'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { authenticate, type Caller } from '../accounts/accounts.ts'
import { authenticateOnce, isOneTime } from '../accounts/one-time.ts'
import type { Context } from '../context.ts'
import { isKuboClient, readOptions } from '../kubo/kubo-client.ts'

/** Binds a call of the storage service; who calls is told by an API key with the call's scope. */
export function route<C extends CallDefinition>(
  app: FastifyInstance,
  context: Context,
  call: C,
  handler: Handler<C, Caller>,
): void {
  routeCall(app, routeParts(context), call, handler)
}

/** What the routes of the storage service are made with. */
export function routeParts(context: Context): RouteParts<Caller> {
  const authorize: Authorize<Caller> = async (request, call) => {
    const token = readBearer(request.headers.authorization)
    const caller = await (isOneTime(token)
      ? authenticateOnce(context, token, call, request.ip)
      : authenticate(context, token))
    if (call.scope !== undefined && !caller.scopes.includes(call.scope)) {
      throw new CairnError('FORBIDDEN', { details: { scope: call.scope } })
    }
    return { caller, id: caller.keyId }
  }
  return { metrics: context.metrics, rates: context.rates, authorize, describeError, chooseDialect }
}

/** Clients of Kubo upload through the same calls as the peer's clients, and read errors in their own form. */
function chooseDialect({ query, headers }: FastifyRequest, { dialect }: CallDefinition): DialectName | undefined {
  return dialect === 'upload' && isKuboClient(readOptions(query), headers) ? 'kubo' : undefined
}

/** What UnixFS finds wrong with content is the caller's content. */
export function describeError(error: unknown): CairnError | undefined {
  if (!(error instanceof UnixfsError)) return undefined
  return new CairnError('INVALID_REQUEST', { message: error.message, cause: error })
}
