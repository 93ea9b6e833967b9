import { proofHeader } from '@cairn/crypto'
import {
  createApiKey as createApiKeyCall,
  getApiKey,
  getAuthMessage,
  getDataUsage,
  getMessage as getMessageCall,
  getSignInNonce,
  listApiKeys as listApiKeysCall,
  type NetworkProfile,
  revokeApiKey as revokeApiKeyCall,
  signIn as signInCall,
} from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { createApiKey, getMessage, getUsage, listApiKeys, revokeApiKey, signIn } from './accounts.ts'
import { issueSignInNonce } from './sign-in.ts'

/** Registers the routes about accounts, messages and API keys. */
export function registerAccountRoutes(app: FastifyInstance, context: Context, profile: () => NetworkProfile): void {
  // Taken from the configuration, never from the request: the host is what rejects texts for other services.
  const domain = () => new URL(profile().api).host

  // Published clients use this call for API keys and uploads alike, without naming the purpose.
  const defaultPurpose = context.config.sharedMessages ? 'either' : 'upload'
  route(app, context, getMessageCall, ({ input: { query }, raw }) =>
    getMessage(context, query.publicKey, query, defaultPurpose, raw.ip),
  )
  route(app, context, getAuthMessage, ({ input: { query }, raw }) =>
    getMessage(context, query.publicKey, query, 'key', raw.ip),
  )

  for (const call of [createApiKeyCall, getApiKey]) {
    route(app, context, call, ({ input: { body }, raw }) =>
      createApiKey(context, {
        address: body.publicKey,
        signature: body.signedMessage,
        ip: raw.ip,
        name: body.keyName ?? 'default',
        scopes: body.scopes,
        expiresAt: body.expiresAt,
      }),
    )
  }

  route(app, context, getSignInNonce, async ({ input: { body } }) => ({
    nonce: issueSignInNonce(context, domain(), body),
    network: context.config.networkName,
  }))

  route(app, context, signInCall, async ({ input: { body }, raw }) => {
    const proof = raw.headers[proofHeader]
    const apiKey = await signIn(
      context,
      domain(),
      {
        address: body.address,
        message: body.message,
        signature: body.signature,
        proof: typeof proof === 'string' ? proof : undefined,
        request: { method: raw.method, path: raw.url, body: raw.cairnBody ?? '' },
        ip: raw.ip,
      },
      { name: body.keyName ?? 'default', scopes: body.scopes, expiresAt: body.expiresAt },
    )
    return { apiKey }
  })

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
