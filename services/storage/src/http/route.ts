import { CairnError, type CallDefinition, type DialectName } from '@cairn/protocol'
import { type Handler, type RouteParts, routeCall } from '@cairn/service'
import { UnixfsError } from '@cairn/unixfs'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../caller.ts'
import type { Context } from '../context.ts'
import { isKuboClient, readOptions } from './kubo-client.ts'

/** Registers a call of the storage service; an API key with the call's scope authenticates the caller. */
export function route<C extends CallDefinition>(
  app: FastifyInstance,
  context: Context,
  call: C,
  handler: Handler<C, Caller>,
): void {
  routeCall(app, routeParts(context), call, handler)
}

/** Returns the parts from which the routes of the storage service are made. */
export function routeParts({ metrics, rates, sharedRates, authorize }: Context): RouteParts<Caller> {
  return { metrics, rates, sharedRates, authorize, describeError, chooseDialect }
}

/** Clients of Kubo upload through the same calls as the peer's clients, and expect errors in Kubo's format. */
function chooseDialect({ query, headers }: FastifyRequest, { dialect }: CallDefinition): DialectName | undefined {
  return dialect === 'upload' && isKuboClient(readOptions(query), headers) ? 'kubo' : undefined
}

/** A UnixFS error in content is the caller's error. */
export function describeError(error: unknown): CairnError | undefined {
  if (!(error instanceof UnixfsError)) return undefined
  return new CairnError('INVALID_REQUEST', { message: error.message, cause: error })
}
