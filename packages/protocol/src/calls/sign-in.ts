import * as v from 'valibot'
import { defineCall } from '../call.ts'
import { callTimeoutMs, maxJsonBodyBytes } from '../limits.ts'
import { addressSchema } from '../networks/address.ts'
import { textDomain, textId, textNonce, textTime } from '../schemas/text-fields.ts'
import { newKeyErrors, newKeyFields } from './new-key.ts'

const json = { bodyBytes: maxJsonBodyBytes, timeoutMs: callTimeoutMs }

/**
 * `POST /api/auth/nonce`: returns the storage service's part of a message to sign, as `getNonce` does for a key node.
 */
export const getSignInNonce = defineCall({
  id: 'getSignInNonce',
  method: 'POST',
  path: '/api/auth/nonce',
  host: 'api',
  tag: 'Accounts',
  summary: 'Get a sign-in nonce',
  description:
    'For an EIP-4361 message that signs in to the storage service and the key nodes with one signature. Stateless: the service recognises the nonce in the signed message.',
  auth: 'none',
  body: {
    kind: 'json',
    schema: v.object({
      address: addressSchema,
      domain: textDomain,
      id: textId,
      issuedAt: textTime,
      expiresAt: textTime,
    }),
  },
  response: {
    kind: 'json',
    schema: v.object({ nonce: textNonce, network: v.string() }),
  },
  errors: ['INVALID_ADDRESS', 'CHALLENGE_EXPIRED'],
  dialect: 'api',
  limits: { ...json, perMinute: 120 },
  idempotent: true,
})

/** `POST /api/auth/sign_in`: exchanges a signed message for an API key. */
export const signIn = defineCall({
  id: 'signIn',
  method: 'POST',
  path: '/api/auth/sign_in',
  host: 'api',
  tag: 'Accounts',
  summary: 'Get an API key for a signed sign-in message',
  description:
    'The message is the EIP-4361 message that key nodes also accept. It sets the scopes and expiry of the key. Without them, the key reads and writes files for 90 days. The header X-Cairn-Proof must prove possession of the session key in the message, so that a leaked message and signature are useless. Each message can be used once.',
  auth: 'none',
  body: {
    kind: 'json',
    schema: v.object({
      address: addressSchema,
      /** The signed message, byte for byte. */
      message: v.pipe(v.string(), v.nonEmpty(), v.maxLength(4096)),
      signature: v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(8192)),
      ...newKeyFields,
    }),
  },
  response: { kind: 'json', schema: v.object({ apiKey: v.string() }) },
  errors: newKeyErrors,
  dialect: 'api',
  limits: { ...json, perMinute: 30, isShared: true },
  idempotent: false,
})
