import { CairnError, type CallDefinition } from '@cairn/protocol'
import { type Authorized, readBearer } from '@cairn/service'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../caller.ts'
import type { Context } from '../context.ts'
import { authenticate } from './accounts.ts'
import { authenticateOnce, isOneTime } from './one-time.ts'

/**
 * Finds the caller of a call by its API key, or by a wallet's signature for one upload.
 * @throws CairnError UNAUTHENTICATED, FORBIDDEN (the key lacks the call's scope), and those of {@link authenticateOnce}
 */
export async function authorizeCall(
  context: Context,
  request: FastifyRequest,
  call: CallDefinition,
): Promise<Authorized<Caller>> {
  const token = readBearer(request.headers.authorization)
  const caller = await (isOneTime(token)
    ? authenticateOnce(context, token, call, request.ip)
    : authenticate(context, token))
  if (call.scope !== undefined && !caller.scopes.includes(call.scope)) {
    throw new CairnError('FORBIDDEN', { details: { scope: call.scope } })
  }
  return { caller, id: caller.keyId }
}
