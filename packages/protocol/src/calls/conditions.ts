import * as v from 'valibot'
import { makeCall, sessionErrors } from '../call.ts'
import { callTimeoutMs } from '../limits.ts'
import { identitySchema, mapConditionFields } from '../networks/chain-families.ts'
import { reasonFactsSchema } from '../reasons/reason.ts'
import { cidSchema } from '../schemas/cid.ts'
import { shardPayloadSchema, shardSetSchema, spareSchema } from '../schemas/shards.ts'
import { addresses, change, changeErrors, conditionFields, dynamicData, json, node, subject } from './key-frame.ts'

/** `POST /api/fileAccessConditions/{node}`: saves a shard together with conditions. */
export const createConditions = /* @__PURE__ */ makeCall(() => ({
  ...change,
  id: 'createConditions',
  method: 'POST',
  path: '/api/fileAccessConditions/{node}',
  tag: 'Conditions',
  summary: 'Save a shard with conditions',
  description:
    'With decryptionType ACCESS_CONDITIONS the file has no owner, and its access rights can no longer change.',
  body: {
    kind: 'json',
    schema: v.object({
      ...subject,
      ...conditionFields,
      payload: shardPayloadSchema,
      sharedTo: v.optional(v.nullable(addresses)),
      set: v.optional(shardSetSchema),
      spare: v.optional(spareSchema),
    }),
  },
  errors: [
    ...changeErrors,
    'SHARD_MISMATCH',
    'INVALID_SHARD',
    'KEY_LIMIT',
    'INVALID_CONDITION',
    'CHAIN_NOT_SUPPORTED',
    'CONDITION_UNKNOWN',
  ],
}))

/**
 * `PUT /api/fileAccessConditions/{node}`: sets the conditions of a file with a saved key. An empty list removes them.
 */
export const updateConditions = /* @__PURE__ */ makeCall(() => ({
  ...change,
  id: 'updateConditions',
  method: 'PUT',
  path: '/api/fileAccessConditions/{node}',
  tag: 'Conditions',
  summary: 'Set conditions',
  description:
    'An empty list removes all conditions. With decryptionType ACCESS_CONDITIONS only the conditions grant access: the file no longer has an owner or shares.',
  body: { kind: 'json', schema: v.object({ ...subject, ...conditionFields }) },
  errors: [...changeErrors, 'KEY_RETIRED', 'INVALID_CONDITION', 'CHAIN_NOT_SUPPORTED', 'CONDITION_UNKNOWN'],
}))

/** `DELETE /api/fileAccessConditions/{node}`: removes all conditions. */
export const removeConditions = /* @__PURE__ */ makeCall(() => ({
  ...change,
  id: 'removeConditions',
  method: 'DELETE',
  path: '/api/fileAccessConditions/{node}',
  tag: 'Conditions',
  summary: 'Remove conditions',
  body: { kind: 'json', schema: v.object(subject) },
  errors: changeErrors,
}))

/** `GET /api/fileAccessConditions/get/{cid}`: returns the conditions of a file. */
export const getConditions = /* @__PURE__ */ makeCall(() => ({
  id: 'getConditions',
  method: 'GET',
  path: '/api/fileAccessConditions/get/{cid}',
  host: 'keys',
  tag: 'Conditions',
  summary: 'Get the conditions of a file',
  description:
    'Public, because published clients send no token. `sharedTo` is returned only to the owner and to recipients.',
  auth: 'none',
  params: v.object({ cid: cidSchema }),
  response: {
    kind: 'json',
    schema: v.object({
      aggregator: v.nullable(v.string()),
      ...mapConditionFields(() => v.array(v.unknown())),
      sharedTo: v.array(v.string()),
      owner: v.string(),
      cid: v.string(),
    }),
  },
  errors: ['INVALID_CID', 'KEY_NOT_FOUND', 'INVALID_SIGNATURE', 'SESSION_EXPIRED', 'KEY_NODES_UNAVAILABLE'],
  dialect: 'keyNode',
  limits: { timeoutMs: callTimeoutMs, perMinute: 600 },
  idempotent: true,
}))

const describeVerdict = () =>
  v.object({
    isAllowed: v.boolean(),
    /** The reason for access: ownership, sharing, the conditions; or none. */
    by: v.picklist(['owner', 'shared', 'conditions', 'none']),
    aggregator: v.nullable(v.string()),
    conditions: v.array(
      v.object({
        id: v.number(),
        result: v.picklist(['true', 'false', 'unknown']),
        /** The value on the chain; integers as decimal text. */
        observed: v.optional(v.unknown()),
        reason: v.optional(v.string()),
        reasonFacts: v.optional(reasonFactsSchema),
      }),
    ),
  })
export type AccessVerdict = v.InferOutput<ReturnType<typeof describeVerdict>>

/** Returns what both explanations share. */
const describeExplanation = () =>
  ({
    method: 'POST',
    host: 'keys',
    tag: 'Conditions',
    auth: 'session',
    params: node,
    response: { kind: 'json', schema: describeVerdict() },
    dialect: 'keyNode',
    limits: { ...json, perMinute: 30 },
    idempotent: true,
  }) as const

/** `POST /api/keys/explain/{node}`: explains why an address may or may not read a file. */
export const explainAccess = /* @__PURE__ */ makeCall(() => ({
  ...describeExplanation(),
  id: 'explainAccess',
  path: '/api/keys/explain/{node}',
  summary: 'Explain an access decision',
  description: 'The owner can ask about any address, other callers only about their own.',
  body: { kind: 'json', schema: v.object({ ...subject, about: v.optional(identitySchema), dynamicData }) },
  errors: [
    ...sessionErrors,
    'ACCESS_DENIED',
    'KEY_NOT_FOUND',
    'KEY_UNCONFIRMED',
    'CONDITION_UNKNOWN',
    'CHAIN_NOT_SUPPORTED',
  ],
}))

/** `POST /api/keys/explain-conditions/{node}`: evaluates unsaved conditions for an address. */
export const explainConditions = /* @__PURE__ */ makeCall(() => ({
  ...describeExplanation(),
  id: 'explainConditions',
  path: '/api/keys/explain-conditions/{node}',
  summary: 'Evaluate conditions for an address before saving them',
  description:
    'Has no side effects. Evaluates every condition, including those that no longer affect the result. Any signed-in caller can ask about any address, because chain data is public.',
  body: {
    kind: 'json',
    schema: v.object({ address: identitySchema, ...conditionFields, about: v.optional(identitySchema), dynamicData }),
  },
  errors: [...sessionErrors, 'INVALID_CONDITION', 'CHAIN_NOT_SUPPORTED'],
}))
