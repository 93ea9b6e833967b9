import { proofHeader, writeChallenge } from '@cairn/crypto'
import {
  CairnError,
  clockSkewMs,
  closeSession,
  getJwt,
  getKeyMessage,
  getKeyNode,
  getNonce,
  keyChallengeLifetimeMs,
  keySaveLifetimeMs,
  keyShardCount,
  openSession,
  renewJwt,
  renewSession,
} from '@cairn/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { requireAfterRestore } from './after-restore.ts'
import { formatTime } from './format-time.ts'
import { makeNonce } from './nonces.ts'
import { openNodeSession } from './open-session.ts'
import { isKnownDomain } from './read-challenge.ts'
import { endNodeSession, renewNodeSession } from './renew-session.ts'
import { requireSigner } from './require-signer.ts'
import { publicKeyOf } from './tokens.ts'

/** Registers the routes about sessions. */
export function registerSessionRoutes(app: FastifyInstance, context: Context): void {
  const { config, clock } = context
  const publicKey = publicKeyOf(context.keys.signing)

  route(app, context, getNonce, async ({ input: { body } }) => {
    // Rejected before a user signs a text that this node would not accept.
    if (!isKnownDomain(context, body.domain)) {
      throw new CairnError('INVALID_REQUEST', {
        message: `Key node ${config.node} does not accept messages of ${body.domain}`,
        hint: 'The operator sets the accepted hosts in CAIRN_KEYNODE_DOMAINS.',
        details: { issues: [{ field: 'body.domain', message: 'is not an accepted host' }] },
      })
    }
    const now = clock.now()
    const lifetimeMs = body.expiresAt - body.issuedAt
    if (Math.abs(body.issuedAt - now) > clockSkewMs || lifetimeMs <= 0 || lifetimeMs > keySaveLifetimeMs)
      throw new CairnError('CHALLENGE_EXPIRED', {
        message: 'The challenge is not valid at this time',
        ...formatTime(context),
      })
    requireAfterRestore(context, body.issuedAt)
    return { node: config.node, nonce: makeNonce(context, body), network: config.networkName }
  })

  route(app, context, getKeyMessage, async ({ input: { params }, raw }) => {
    const address = requireSigner(params.address)
    const message = await context.issued.issue(address, raw.ip, async (issued) => {
      requireAfterRestore(context, issued.issuedAt)
      const domain = config.publicUrl === undefined ? `${config.host}:${config.port}` : new URL(config.publicUrl).host
      const subject = { ...issued, domain, address }
      const nonces = Array.from({ length: keyShardCount }, (_node, i) =>
        i + 1 === config.node ? makeNonce(context, subject) : undefined,
      )
      return writeChallenge({ ...subject, network: config.networkName, nonces })
    })
    return [{ message }]
  })

  const renew = (request: FastifyRequest, address: string, refreshToken: string) => {
    const proof = request.headers[proofHeader]
    return renewNodeSession(context, {
      address,
      refreshToken,
      proof: typeof proof === 'string' ? proof : undefined,
      request: { method: request.method, path: request.url, body: request.cairnBody ?? '' },
    })
  }

  route(app, context, getJwt, async ({ input: { body }, raw }) => {
    const messages = context.issued.of(body.address, keyChallengeLifetimeMs)
    return bearers(await openNodeSession(context, { ...body, messages, ip: raw.ip }))
  })
  route(app, context, renewJwt, async ({ input: { body }, raw }) =>
    bearers(await renew(raw, body.address, body.refreshToken)),
  )

  route(app, context, openSession, async ({ input: { body }, raw }) =>
    openNodeSession(context, { ...body, ip: raw.ip }),
  )
  route(app, context, renewSession, async ({ input: { body }, raw }) => renew(raw, body.address, body.refreshToken))
  route(app, context, closeSession, async ({ caller }) => {
    await endNodeSession(context, caller.sessionId)
    return { message: 'success' }
  })

  route(app, context, getKeyNode, async () => {
    return {
      node: config.node,
      network: config.networkName,
      publicKey,
      time: clock.now(),
      count: keyShardCount,
      chains: [...context.conditions.chainNames],
    }
  })
}

/** Formats tokens for published clients. */
function bearers({ token, refreshToken }: { token: string; refreshToken: string }) {
  return { token: `jwt:${token}`, refreshToken: `r:${refreshToken}` }
}
