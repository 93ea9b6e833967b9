import {
  createApiKey as createApiKeyCall,
  getAuthMessage,
  getDataUsage,
  getMessage as getMessageCall,
  listApiKeys as listApiKeysCall,
  revokeApiKey as revokeApiKeyCall,
  scopes,
} from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { createApiKey, getMessage, getUsage, listApiKeys, revokeApiKey } from './accounts.ts'
import { contractVerifierOf } from './verify-contract.ts'

/** Binds the calls about accounts, messages and keys. */
export function registerAccountRoutes(app: FastifyInstance, context: Context): void {
  const verifyContract = contractVerifierOf(context)

  route(app, context, getMessageCall, ({ input }) => getMessage(context, input.query.publicKey))
  route(app, context, getAuthMessage, ({ input }) => getMessage(context, input.query.publicKey))

  route(app, context, createApiKeyCall, ({ input: { body } }) =>
    createApiKey(context, verifyContract, {
      address: body.publicKey,
      signature: body.signedMessage,
      name: body.keyName ?? 'default',
      scopes: body.scopes ?? scopes,
      expiresAt: body.expiresAt ?? null,
    }),
  )

  route(app, context, listApiKeysCall, async ({ caller }) => ({ keys: await listApiKeys(context, caller.address) }))

  route(app, context, revokeApiKeyCall, async ({ caller, input }) => {
    await revokeApiKey(context, caller.address, input.params.id)
    return { message: 'API key revoked.' }
  })

  route(app, context, getDataUsage, async ({ caller }) => {
    const { limitBytes, usedBytes } = await getUsage(context, caller.address)
    return {
      dataLimit: limitBytes,
      dataUsed: usedBytes,
      dataLimitPermanent: 0,
      dataUsedPermanent: 0,
      walrusDataLimit: 0,
      walrusDataUsed: 0,
    }
  })
}
