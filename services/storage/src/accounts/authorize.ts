import { CairnError, type CallDefinition } from '@cairn/protocol'
import { type Authorized, readBearer } from '@cairn/service'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../caller.ts'
import type { Context } from '../context.ts'
import { authenticateUploadLink, isUploadLinkToken } from '../upload-links/upload-links.ts'
import { authenticate } from './accounts.ts'
import { authenticateOnce, isOneTime } from './one-time.ts'

/**
 * Finds the caller of a call by its API key, by a wallet's signature for one upload, or by an upload link.
 * @throws CairnError UNAUTHENTICATED, FORBIDDEN (the key lacks the call's scope), and those of {@link authenticateOnce} and
 *   {@link authenticateUploadLink}
 */
export async function authorizeCall(
  context: Context,
  request: FastifyRequest,
  call: CallDefinition,
): Promise<Authorized<Caller>> {
  const token = readBearer(request.headers.authorization)
  const caller = await findCaller(context, token, call, request.ip)
  if (call.scope !== undefined && !caller.scopes.includes(call.scope)) {
    throw new CairnError('FORBIDDEN', { details: { scope: call.scope } })
  }
  return { caller, id: caller.keyId }
}

function findCaller(context: Context, token: string, call: CallDefinition, ip: string): Promise<Caller> {
  if (isOneTime(token)) return authenticateOnce(context, token, call, ip)
  if (isUploadLinkToken(token)) return authenticateUploadLink(context, token, call)
  return authenticate(context, token)
}
