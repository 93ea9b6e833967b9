import * as v from 'valibot'
import { makeCall, sessionErrors } from '../call.ts'
import type { ErrorCode } from '../errors/error-table.ts'
import { callTimeoutMs, keyShardCount, maxJsonBodyBytes, maxKeyTexts } from '../limits.ts'
import { identitySchema, normalizeIdentity } from '../networks/chain-families.ts'
import { textDomain, textId, textNonce, textTime } from '../schemas/text-fields.ts'

const json = { bodyBytes: maxJsonBodyBytes, timeoutMs: callTimeoutMs }

/** The number of a key node, as in paths. */
export const nodeNumberSchema = v.pipe(v.string(), v.regex(/^[1-5]$/, 'must be the number of a key node, 1 to 5'))
const node = v.object({ node: nodeNumberSchema })

const signInErrors = [
  'INVALID_SIGNATURE',
  'CHALLENGE_EXPIRED',
  'SESSION_EXPIRED',
  'INVALID_ADDRESS',
  'CHAIN_NOT_CONFIGURED',
  'UPSTREAM_FAILED',
  'KEY_NODES_UNAVAILABLE',
  'WRONG_NODE',
] as const satisfies readonly ErrorCode[]

const signature = v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(8192))
/** Chain of contract wallets; ALL means every configured one. */
const chain = v.optional(v.pipe(v.string(), v.maxLength(64)), 'ALL')

const describeTokens = () =>
  v.object({
    /** Bearer token of the calls that need a session, with its `jwt:`. */
    token: v.string(),
    /** Valid for one renewal, with its `r:`. */
    refreshToken: v.string(),
  })

/**
 * `GET /api/message/{address}`: returns the message that a wallet signs for an operation or a session with the key
 * nodes.
 */
export const getKeyMessage = /* @__PURE__ */ makeCall(() => ({
  id: 'getKeyMessage',
  method: 'GET',
  path: '/api/message/{address}',
  host: 'keys',
  tag: 'Sessions',
  summary: 'Get a message to sign for the key nodes',
  description:
    'Returns a new message with a nonce from each node. Its signature is a bearer token for one operation, or can be exchanged for a session.',
  auth: 'none',
  // Empty for an invalid address: published clients expect a specific message for it.
  params: v.object({
    address: v.pipe(
      v.string(),
      v.maxLength(200),
      v.transform((text: string) => normalizeIdentity(text.trim())),
    ),
  }),
  response: { kind: 'json', schema: v.array(v.object({ message: v.string() })) },
  errors: ['INVALID_ADDRESS', 'KEY_NODES_UNAVAILABLE', 'KEY_UNCONFIRMED'],
  dialect: 'keyNode',
  limits: { timeoutMs: callTimeoutMs, perMinute: 120 },
  idempotent: true,
}))

/** `POST /api/message/get-jwt`: exchanges a signature for a session. */
export const getJwt = /* @__PURE__ */ makeCall(() => ({
  id: 'getJwt',
  method: 'POST',
  path: '/api/message/get-jwt',
  host: 'keys',
  tag: 'Sessions',
  summary: 'Exchange a signature for a session',
  description:
    'Returns a bundle with one token of each node, for published clients. Other clients use openSession, whose tokens are bound to a session key.',
  auth: 'none',
  body: { kind: 'json', schema: v.object({ address: identitySchema, signature, chain }) },
  response: { kind: 'json', schema: describeTokens() },
  errors: signInErrors,
  dialect: 'keyNode',
  limits: { ...json, perMinute: 60 },
  idempotent: false,
}))

/** `PUT /api/message/get-jwt`: exchanges a refresh token for a new session. */
export const renewJwt = /* @__PURE__ */ makeCall(() => ({
  ...getJwt,
  id: 'renewJwt',
  method: 'PUT',
  summary: 'Renew a session',
  description: 'A refresh token can be used once. Using it again revokes all sessions derived from it.',
  body: {
    kind: 'json',
    schema: v.object({ address: identitySchema, refreshToken: v.pipe(v.string(), v.maxLength(8192)) }),
  },
}))

/** `POST /api/keys/nonce/{node}`: returns the part of one node of a challenge. */
export const getNonce = /* @__PURE__ */ makeCall(() => ({
  id: 'getNonce',
  method: 'POST',
  path: '/api/keys/nonce/{node}',
  host: 'keys',
  tag: 'Sessions',
  summary: 'Get a challenge nonce of a node',
  description: 'Stateless: the node recognises the nonce in the signed message.',
  auth: 'none',
  params: node,
  body: {
    kind: 'json',
    schema: v.object({
      address: identitySchema,
      domain: textDomain,
      id: textId,
      issuedAt: textTime,
      expiresAt: textTime,
    }),
  },
  response: {
    kind: 'json',
    schema: v.object({
      node: v.number(),
      nonce: textNonce,
      network: v.string(),
    }),
  },
  errors: ['INVALID_ADDRESS', 'WRONG_NODE', 'KEY_NODES_UNAVAILABLE', 'KEY_UNCONFIRMED', 'CHALLENGE_EXPIRED'],
  dialect: 'keyNode',
  limits: { ...json, perMinute: 600 },
  idempotent: true,
}))

/** Five tokens share one header of 16 KiB: no node may make them too long for it. */
const nodeToken = v.pipe(v.string(), v.nonEmpty(), v.maxLength(1536))
const session = v.object({
  node: v.number(),
  token: nodeToken,
  refreshToken: nodeToken,
  /** Expiry of each, in ms since 1970. */
  expiresAt: v.number(),
  refreshExpiresAt: v.number(),
  /** Id of the signed message, if there was one: equal at all nodes. */
  challengeId: v.optional(v.string()),
})
export type NodeSession = v.InferOutput<typeof session>

/**
 * `POST /api/keys/session/{node}`: exchanges a signed message for a token of this node. An EIP-4361 message with a
 * session key binds the token to it; the message of the router yields a bearer token.
 */
export const openSession = /* @__PURE__ */ makeCall(() => ({
  id: 'openSession',
  method: 'POST',
  path: '/api/keys/session/{node}',
  host: 'keys',
  tag: 'Sessions',
  summary: 'Open a session with one node',
  auth: 'none',
  params: node,
  body: {
    kind: 'json',
    schema: v.object({
      address: identitySchema,
      /** The signed message; all candidates if only a contract can decide which one was signed. */
      messages: v.pipe(v.array(v.pipe(v.string(), v.maxLength(4096))), v.minLength(1), v.maxLength(maxKeyTexts)),
      signature,
      chain,
      /**
       * `save` opens a session that saves keys and does nothing else. A message of the router is valid for that until
       * it expires, for anything else a quarter of an hour.
       */
      use: v.optional(v.literal('save')),
    }),
  },
  response: { kind: 'json', schema: session },
  errors: signInErrors,
  dialect: 'keyNode',
  limits: { ...json, perMinute: 120 },
  idempotent: false,
}))

/** `PUT /api/keys/session/{node}`: renews a session with one node. */
export const renewSession = /* @__PURE__ */ makeCall(() => ({
  ...openSession,
  id: 'renewSession',
  method: 'PUT',
  summary: 'Renew a session with one node',
  description: 'Requires a proof with the session key if the session is bound to one.',
  body: {
    kind: 'json',
    schema: v.object({ address: identitySchema, refreshToken: v.pipe(v.string(), v.maxLength(2048)) }),
  },
}))

/** `DELETE /api/keys/session/{node}`: closes the session and all sessions it was renewed from. */
export const closeSession = /* @__PURE__ */ makeCall(() => ({
  id: 'closeSession',
  method: 'DELETE',
  path: '/api/keys/session/{node}',
  host: 'keys',
  tag: 'Sessions',
  summary: 'Close a session with one node',
  auth: 'session',
  params: node,
  response: { kind: 'json', schema: v.object({ message: v.string() }) },
  errors: [...sessionErrors],
  dialect: 'keyNode',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
}))

/** `GET /api/keys/node/{node}`: returns the identity of a node. */
export const getKeyNode = /* @__PURE__ */ makeCall(() => ({
  id: 'getKeyNode',
  method: 'GET',
  path: '/api/keys/node/{node}',
  host: 'keys',
  tag: 'Sessions',
  summary: 'Get the identity of a key node',
  auth: 'none',
  params: node,
  response: {
    kind: 'json',
    schema: v.object({
      node: v.number(),
      network: v.string(),
      /** Its Ed25519 key as a did:key; it signs tokens and attestations. */
      publicKey: v.string(),
      /** Its clock, in ms since 1970. */
      time: v.number(),
      count: v.optional(v.number(), keyShardCount),
      /** Names of the chains that conditions may use on this node. */
      chains: v.array(v.string()),
    }),
  },
  errors: ['WRONG_NODE', 'KEY_NODES_UNAVAILABLE'],
  dialect: 'keyNode',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
}))
