import * as v from 'valibot'
import { authErrors, defineCall, scopes } from '../call.ts'
import { callTimeoutMs, maxJsonBodyBytes } from '../limits.ts'
import { addressSchema } from '../networks/address.ts'
import { keyEnd, keyScopes } from '../schemas/key-grant.ts'
import { newKeyErrors, newKeyFields } from './new-key.ts'

const messageQuery = v.object({
  publicKey: addressSchema,
  /**
   * Purpose of the signature. Without one, a message of `get_message` is valid for either: published clients name none.
   */
  purpose: v.optional(v.picklist(['api-key', 'upload'])),
  /** Scopes of the API key, separated by commas. Defaults to `files:read,files:write`. */
  scopes: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(200),
      v.transform((text) => text.split(',')),
      keyScopes,
    ),
  ),
  /** Expiry of the API key in ms since 1970, or `never`. Defaults to 90 days from now. */
  expiresAt: v.optional(
    v.union([
      v.pipe(
        v.literal('never'),
        v.transform(() => null),
      ),
      v.pipe(v.string(), v.regex(/^\d{1,15}$/), v.transform(Number), keyEnd),
    ]),
  ),
})
const message = v.string()
const json = { bodyBytes: maxJsonBodyBytes, timeoutMs: callTimeoutMs }

/** `GET /api/auth/get_message`: the message that a wallet signs for an API key or for one upload. */
export const getMessage = defineCall({
  id: 'getMessage',
  method: 'GET',
  path: '/api/auth/get_message',
  host: 'api',
  tag: 'Accounts',
  summary: 'Get a message to sign',
  description:
    'Returns a new message for this address as a bare JSON string. The message states its purpose and, for an API key, the scopes and expiry of the key. It expires after five minutes and can be used once.',
  auth: 'none',
  query: messageQuery,
  response: { kind: 'json', schema: message },
  errors: ['INVALID_ADDRESS'],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs, perMinute: 60 },
  idempotent: true,
})

/** `GET /api/auth/get_auth_message`: the same under its other published name, for an API key by default. */
export const getAuthMessage = defineCall({
  ...getMessage,
  id: 'getAuthMessage',
  path: '/api/auth/get_auth_message',
  summary: 'Get a message to sign (other name)',
})

/** `POST /api/auth/create_api_key`: exchanges a signed message for an API key. */
export const createApiKey = defineCall({
  id: 'createApiKey',
  method: 'POST',
  path: '/api/auth/create_api_key',
  host: 'api',
  tag: 'Accounts',
  summary: 'Get an API key for a signed message',
  description:
    'The signed message sets the scopes and the expiry of the key. `scopes` and `expiresAt` can repeat these values but not change them. The key is returned only once, and the service stores only its hash. EVM wallets sign with EIP-191, contract wallets with EIP-1271 if a chain is configured, Solana wallets with ed25519 (signature in base58, base64 or hex).',
  auth: 'none',
  body: {
    kind: 'json',
    schema: v.object({
      publicKey: addressSchema,
      signedMessage: v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(8192)),
      ...newKeyFields,
    }),
    // The published Python client sends one.
    acceptsForm: true,
  },
  response: { kind: 'json', schema: v.string() },
  errors: newKeyErrors,
  dialect: 'api',
  limits: { ...json, perMinute: 30, isShared: true },
  idempotent: false,
})

/** `POST /api/auth/get_api_key`: the same under the name that published clients up to 0.3.0 use. */
export const getApiKey = defineCall({
  ...createApiKey,
  id: 'getApiKey',
  path: '/api/auth/get_api_key',
  summary: 'Get an API key for a signed message (other name)',
})

const apiKey = v.object({
  /** Identifies the key in lists and for revocation; not a secret. */
  id: v.string(),
  name: v.string(),
  scopes: v.array(v.picklist(scopes)),
  createdAt: v.number(),
  expiresAt: v.nullable(v.number()),
  lastUsedAt: v.nullable(v.number()),
})
export type ApiKeyInfo = v.InferOutput<typeof apiKey>

/** `GET /api/auth/api_keys`: lists the API keys of the account that are not revoked. */
export const listApiKeys = defineCall({
  id: 'listApiKeys',
  method: 'GET',
  path: '/api/auth/api_keys',
  host: 'api',
  tag: 'Accounts',
  summary: 'List API keys',
  auth: 'apiKey',
  scope: 'account',
  response: { kind: 'json', schema: v.object({ keys: v.array(apiKey) }) },
  errors: [...authErrors],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
})

/** `DELETE /api/auth/api_keys/{id}`: revokes an API key with immediate effect. */
export const revokeApiKey = defineCall({
  id: 'revokeApiKey',
  method: 'DELETE',
  path: '/api/auth/api_keys/{id}',
  host: 'api',
  tag: 'Accounts',
  summary: 'Revoke an API key',
  description: 'Takes effect with the next request. Revoking a revoked key succeeds.',
  auth: 'apiKey',
  scope: 'account',
  params: v.object({ id: v.pipe(v.string(), v.regex(/^[0-9a-z]{1,32}$/)) }),
  response: { kind: 'json', schema: v.object({ message: v.string() }) },
  errors: [...authErrors],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
})

/** `GET /api/user/user_data_usage`: storage limit and usage in bytes. */
export const getDataUsage = defineCall({
  id: 'getDataUsage',
  method: 'GET',
  path: '/api/user/user_data_usage',
  host: 'api',
  tag: 'Accounts',
  summary: 'Get the storage limit and usage in bytes',
  auth: 'apiKey',
  scope: 'files:read',
  response: {
    kind: 'json',
    schema: v.object({
      dataLimit: v.number(),
      dataUsed: v.number(),
      /** Lifetime storage and a second backend of the peer, which Cairn does not have: always 0. */
      dataLimitPermanent: v.optional(v.number(), 0),
      dataUsedPermanent: v.optional(v.number(), 0),
      walrusDataLimit: v.optional(v.number(), 0),
      walrusDataUsed: v.optional(v.number(), 0),
    }),
  },
  errors: [...authErrors],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
})
