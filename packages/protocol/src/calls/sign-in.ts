import * as v from 'valibot'
import { addressSchema } from '../address.ts'
import { defineCall } from '../call.ts'
import { callTimeoutMs, jsonBodyBytesMost } from '../limits.ts'
import { textDomain, textId, textNonce, textTime } from '../text-fields.ts'
import { newKeyErrors, newKeyFields } from './new-key.ts'

const json = { bodyBytes: jsonBodyBytesMost, timeoutMs: callTimeoutMs }

/** `POST /api/auth/nonce`: the storage service's part of a text to sign, as `getNonce` is a key node's. */
export const getSignInNonce = defineCall({
  id: 'getSignInNonce',
  method: 'POST',
  path: '/api/auth/nonce',
  host: 'api',
  tag: 'Accounts',
  summary: 'A nonce for a text to sign in with',
  description:
    'For an EIP-4361 text that one signature opens storage and key nodes with. Nothing is kept: the service recognises its nonce when the signed text comes back.',
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

/** `POST /api/auth/sign_in`: a signed text for an API key. */
export const signIn = defineCall({
  id: 'signIn',
  method: 'POST',
  path: '/api/auth/sign_in',
  host: 'api',
  tag: 'Accounts',
  summary: 'Get an API key for a signed text',
  description:
    'The text is the EIP-4361 text that key nodes take, too. The key may do what the text says, until the end that it names; a text without that gives one that reads and writes files for 90 days. The header X-Cairn-Proof has to prove the session key that it names, so that the text with its signature is of no use to others. Each text is good once.',
  auth: 'none',
  body: {
    kind: 'json',
    schema: v.object({
      address: addressSchema,
      /** The text that was signed, to the letter. */
      message: v.pipe(v.string(), v.nonEmpty(), v.maxLength(4096)),
      signature: v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(8192)),
      ...newKeyFields,
    }),
  },
  response: { kind: 'json', schema: v.object({ apiKey: v.string() }) },
  errors: newKeyErrors,
  dialect: 'api',
  limits: { ...json, perMinute: 30 },
  idempotent: false,
})
