import * as v from 'valibot'
import { addressSchema } from '../address.ts'
import { authErrors, defineCall, scopes } from '../call.ts'
import { keyEnd, keyScopes } from '../key-grant.ts'
import { callTimeoutMs, jsonBodyBytesMost } from '../limits.ts'
import { newKeyErrors, newKeyFields } from './new-key.ts'

const messageQuery = v.object({
  publicKey: addressSchema,
  /** What the signature is for. Without a purpose, a text of `get_message` is for either: published clients name none. */
  purpose: v.optional(v.picklist(['api-key', 'upload'])),
  /** What the API key may do, separated by commas. Defaults to `files:read,files:write`. */
  scopes: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(200),
      v.transform((text) => text.split(',')),
      keyScopes,
    ),
  ),
  /** When the API key expires, ms since 1970, or `never`. Defaults to 90 days from now. */
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
const json = { bodyBytes: jsonBodyBytesMost, timeoutMs: callTimeoutMs }

/** `GET /api/auth/get_message`: the text a wallet signs for an API key or for one upload. */
export const getMessage = defineCall({
  id: 'getMessage',
  method: 'GET',
  path: '/api/auth/get_message',
  host: 'api',
  tag: 'Accounts',
  summary: 'Get a message to sign',
  description:
    'Gives a fresh text for this address. It names its purpose and, for an API key, what the key may do and when it expires. The text itself expires after five minutes and can be used once. Answers a bare JSON string.',
  auth: 'none',
  query: messageQuery,
  response: { kind: 'json', schema: message },
  errors: ['INVALID_ADDRESS'],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs, perMinute: 60 },
  idempotent: true,
})

/** `GET /api/auth/get_auth_message`: the same under its other published name, for an API key unless the purpose says otherwise. */
export const getAuthMessage = defineCall({
  ...getMessage,
  id: 'getAuthMessage',
  path: '/api/auth/get_auth_message',
  summary: 'Get a message to sign (other name)',
})

/** `POST /api/auth/create_api_key`: a signed message for an API key. */
export const createApiKey = defineCall({
  id: 'createApiKey',
  method: 'POST',
  path: '/api/auth/create_api_key',
  host: 'api',
  tag: 'Accounts',
  summary: 'Get an API key for a signed message',
  description:
    'The key may do what the signed text says, until the end that it names: `scopes` and `expiresAt` can repeat that and change nothing. The key is shown this once; only its hash is kept. EVM wallets sign by EIP-191, contract wallets by EIP-1271 where a chain is configured, Solana wallets by ed25519 (signature in base58, base64 or hex).',
  auth: 'none',
  body: {
    kind: 'json',
    schema: v.object({
      publicKey: addressSchema,
      signedMessage: v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(8192)),
      ...newKeyFields,
    }),
  },
  response: { kind: 'json', schema: v.string() },
  errors: newKeyErrors,
  dialect: 'api',
  limits: { ...json, perMinute: 30 },
  idempotent: false,
})

const apiKey = v.object({
  /** Names the key in lists and for revoking; no secret. */
  id: v.string(),
  name: v.string(),
  scopes: v.array(v.picklist(scopes)),
  createdAt: v.number(),
  expiresAt: v.nullable(v.number()),
  lastUsedAt: v.nullable(v.number()),
})
export type ApiKeyInfo = v.InferOutput<typeof apiKey>

/** `GET /api/auth/api_keys`: the account's keys that are not revoked. */
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

/** `DELETE /api/auth/api_keys/{id}`: ends a key at once. */
export const revokeApiKey = defineCall({
  id: 'revokeApiKey',
  method: 'DELETE',
  path: '/api/auth/api_keys/{id}',
  host: 'api',
  tag: 'Accounts',
  summary: 'Revoke an API key',
  description: 'Takes effect with the next request. Revoking a revoked key is no error.',
  auth: 'apiKey',
  scope: 'account',
  params: v.object({ id: v.pipe(v.string(), v.regex(/^[0-9a-z]{1,32}$/)) }),
  response: { kind: 'json', schema: v.object({ message: v.string() }) },
  errors: [...authErrors],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
})

/** `GET /api/user/user_data_usage`: bytes allowed and used. */
export const getDataUsage = defineCall({
  id: 'getDataUsage',
  method: 'GET',
  path: '/api/user/user_data_usage',
  host: 'api',
  tag: 'Accounts',
  summary: 'Storage allowed and used, in bytes',
  auth: 'apiKey',
  scope: 'files:read',
  response: {
    kind: 'json',
    schema: v.object({
      dataLimit: v.number(),
      dataUsed: v.number(),
      /** Of the peer's lifetime class and second backend, which Cairn does not have: always 0. */
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
