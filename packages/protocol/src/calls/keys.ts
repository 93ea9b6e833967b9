import * as v from 'valibot'
import { identitySchema } from '../address.ts'
import { makeCall, sessionErrors } from '../call.ts'
import { cidSchema } from '../cid.ts'
import { callTimeoutMs, jsonBodyBytesMost, keyListRowsMost, sharedAddressesPerCallMost } from '../limits.ts'
import { shardPayloadSchema, shardSetSchema } from '../shards.ts'
import { nodeNumberSchema } from './sessions.ts'

const json = { bodyBytes: jsonBodyBytesMost, timeoutMs: callTimeoutMs }
const node = v.object({ node: nodeNumberSchema })
const addresses = v.pipe(v.array(identitySchema), v.maxLength(sharedAddressesPerCallMost))
const someAddresses = v.pipe(addresses, v.minLength(1))

/** Who asks (the session's own address) and about which file. */
const subject = { address: identitySchema, cid: cidSchema }

/** Values that are known only when a key is asked for, by `{condition id}.{name}`. */
const dynamicData = v.optional(v.nullable(v.record(v.pipe(v.string(), v.maxLength(128)), v.unknown())))

/** Conditions as they come; `parseConditions` reads them whole, for its messages name field and condition. */
const conditionFields = {
  conditions: v.pipe(v.array(v.unknown()), v.maxLength(100)),
  aggregator: v.optional(v.nullable(v.string())),
  chainType: v.optional(v.nullable(v.string())),
  decryptionType: v.optional(v.nullable(v.string())),
}

/** What a change answers; published clients need five equal ones, but for `data`. */
const success = v.object({
  message: v.literal('success'),
  data: v.optional(
    v.looseObject({
      version: v.optional(v.number()),
      /** Whether a set that was saved waits beside the one in force until three nodes hold it. */
      waits: v.optional(v.boolean()),
      /** Ids of conditions that were taken although every value meets them: `>= 0` of a number that is never negative. */
      openConditions: v.optional(v.array(v.number())),
    }),
  ),
})

/** The form all changes share. */
const change = {
  host: 'keys',
  tag: 'Keys',
  auth: 'session',
  params: node,
  response: { kind: 'json', schema: success },
  dialect: 'keyNode',
  limits: json,
  idempotent: true,
} as const

const changeErrors = [
  ...sessionErrors,
  'ACCESS_DENIED',
  'KEY_NOT_FOUND',
  'CONFLICT',
  'STORAGE_FULL',
  'DATA_DAMAGED',
] as const

/** `POST /api/setSharedKey/{node}`: saves this node's shard of a file's key. The first to save owns the CID. */
export const saveShard = /* @__PURE__ */ makeCall(() => ({
  ...change,
  id: 'saveShard',
  method: 'POST',
  path: '/api/setSharedKey/{node}',
  summary: 'Save a shard',
  description:
    'The first writer owns the CID. The owner may save again: the shard before it is kept for 30 days, and answers until three nodes hold the new set.',
  body: {
    kind: 'json',
    schema: v.object({
      ...subject,
      payload: shardPayloadSchema,
      sharedTo: v.optional(v.nullable(addresses)),
      /** Commitments to the whole set: the node checks its own and tells recipients of all. */
      set: v.optional(shardSetSchema),
    }),
  },
  errors: [...changeErrors, 'SHARD_MISMATCH', 'INVALID_SHARD', 'KEY_LIMIT'],
}))

/** `PUT /api/setSharedKey/{node}`: lets more addresses read. */
export const shareKey = /* @__PURE__ */ makeCall(() => ({
  ...change,
  id: 'shareKey',
  method: 'PUT',
  path: '/api/setSharedKey/{node}',
  summary: 'Share with addresses',
  description: 'Owner only. Sharing twice is one share.',
  body: { kind: 'json', schema: v.object({ ...subject, shareTo: someAddresses }) },
  errors: [...changeErrors, 'KEY_LIMIT', 'KEY_RETIRED'],
  dialect: 'keyNodeShare',
}))

/** `DELETE /api/setSharedKey/{node}`: takes the right to read from addresses. */
export const revokeKey = /* @__PURE__ */ makeCall(() => ({
  ...change,
  id: 'revokeKey',
  method: 'DELETE',
  path: '/api/setSharedKey/{node}',
  summary: 'Revoke addresses',
  description:
    'Owner only. Stops keys from being given out; who had the key before may have kept it. Revoking whom nothing was shared with is success.',
  body: { kind: 'json', schema: v.object({ ...subject, revokeTo: someAddresses }) },
  errors: changeErrors,
}))

const retrieved = v.object({
  payload: shardPayloadSchema,
  /** Commitments to the set the shard is of, where its owner gave them. */
  set: v.optional(shardSetSchema),
  version: v.optional(v.number()),
  /** Shards of other sets under the same CID: one being saved, or the one before. */
  alternatives: v.optional(
    v.array(v.object({ payload: shardPayloadSchema, set: v.optional(shardSetSchema), savedAt: v.number() })),
  ),
})

/** `POST /api/retrieveSharedKey/{node}`: this node's shard, for who may read the file. */
export const retrieveShard = /* @__PURE__ */ makeCall(() => ({
  id: 'retrieveShard',
  method: 'POST',
  path: '/api/retrieveSharedKey/{node}',
  host: 'keys',
  tag: 'Keys',
  summary: 'Get a shard',
  description: 'For the owner, addresses the file is shared with, and whoever meets its conditions.',
  auth: 'session',
  params: node,
  body: {
    kind: 'json',
    schema: v.object({ ...subject, dynamicData, withAlternatives: v.optional(v.boolean()) }),
  },
  response: { kind: 'json', schema: retrieved },
  errors: [
    ...sessionErrors,
    'ACCESS_DENIED',
    'KEY_NOT_FOUND',
    'CONDITION_UNKNOWN',
    'CHAIN_NOT_SUPPORTED',
    'DATA_DAMAGED',
  ],
  dialect: 'keyNode',
  limits: json,
  idempotent: true,
}))

/** `POST /api/transferOwnership/{node}`: gives a file to another owner. */
export const transferOwnership = /* @__PURE__ */ makeCall(() => ({
  ...change,
  id: 'transferOwnership',
  method: 'POST',
  path: '/api/transferOwnership/{node}',
  summary: 'Transfer ownership',
  description:
    'Owner only. Conditions stay; the list of addresses goes unless resetSharedTo is false. A retired key cannot be handed over.',
  body: {
    kind: 'json',
    schema: v.object({
      ...subject,
      newOwner: identitySchema,
      resetSharedTo: v.optional(v.nullable(v.boolean())),
    }),
  },
  errors: [...changeErrors, 'KEY_LIMIT', 'KEY_RETIRED'],
}))

/** `POST /api/fileAccessConditions/{node}`: saves a shard together with conditions. */
export const createConditions = /* @__PURE__ */ makeCall(() => ({
  ...change,
  id: 'createConditions',
  method: 'POST',
  path: '/api/fileAccessConditions/{node}',
  tag: 'Conditions',
  summary: 'Save a shard with conditions',
  description: 'decryptionType ACCESS_CONDITIONS makes the file nobody’s: no one can change its rights any more.',
  body: {
    kind: 'json',
    schema: v.object({
      ...subject,
      ...conditionFields,
      payload: shardPayloadSchema,
      sharedTo: v.optional(v.nullable(addresses)),
      set: v.optional(shardSetSchema),
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

/** `PUT /api/fileAccessConditions/{node}`: sets the conditions of a file whose key is saved. An empty list clears them. */
export const updateConditions = /* @__PURE__ */ makeCall(() => ({
  ...change,
  id: 'updateConditions',
  method: 'PUT',
  path: '/api/fileAccessConditions/{node}',
  tag: 'Conditions',
  summary: 'Set conditions',
  description:
    'An empty list clears them. decryptionType ACCESS_CONDITIONS leaves the file to them alone: nobody owns it or is shared with any more.',
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

/** `GET /api/fileAccessConditions/get/{cid}`: the conditions of a file. */
export const getConditions = /* @__PURE__ */ makeCall(() => ({
  id: 'getConditions',
  method: 'GET',
  path: '/api/fileAccessConditions/get/{cid}',
  host: 'keys',
  tag: 'Conditions',
  summary: 'The conditions of a file',
  description:
    'Open to all, as published clients ask without a token; `sharedTo` is shown to owner and recipients only.',
  auth: 'none',
  params: v.object({ cid: cidSchema }),
  response: {
    kind: 'json',
    schema: v.object({
      aggregator: v.nullable(v.string()),
      conditions: v.array(v.unknown()),
      conditionsSolana: v.array(v.unknown()),
      conditionsCoreum: v.array(v.unknown()),
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

const verdict = v.object({
  isAllowed: v.boolean(),
  /** What allows it: owning, being shared with, the conditions; or nothing. */
  by: v.picklist(['owner', 'shared', 'conditions', 'none']),
  aggregator: v.nullable(v.string()),
  conditions: v.array(
    v.object({
      id: v.number(),
      result: v.picklist(['true', 'false', 'unknown']),
      /** What the chain said: integers as decimal text. */
      observed: v.optional(v.unknown()),
      reason: v.optional(v.string()),
    }),
  ),
})
export type AccessVerdict = v.InferOutput<typeof verdict>

/** `POST /api/keys/explain/{node}`: why somebody may or may not read a file. */
export const explainAccess = /* @__PURE__ */ makeCall(() => ({
  id: 'explainAccess',
  method: 'POST',
  path: '/api/keys/explain/{node}',
  host: 'keys',
  tag: 'Conditions',
  summary: 'Why access is given or not',
  description: 'Tells the owner about any address, and everybody else about himself.',
  auth: 'session',
  params: node,
  body: { kind: 'json', schema: v.object({ ...subject, about: v.optional(identitySchema), dynamicData }) },
  response: { kind: 'json', schema: verdict },
  errors: [...sessionErrors, 'ACCESS_DENIED', 'KEY_NOT_FOUND', 'CONDITION_UNKNOWN', 'CHAIN_NOT_SUPPORTED'],
  dialect: 'keyNode',
  limits: { ...json, perMinute: 30 },
  idempotent: true,
}))

/** `POST /api/keys/explain-conditions/{node}`: what conditions that are saved nowhere say about an address. */
export const explainConditions = /* @__PURE__ */ makeCall(() => ({
  id: 'explainConditions',
  method: 'POST',
  path: '/api/keys/explain-conditions/{node}',
  host: 'keys',
  tag: 'Conditions',
  summary: 'Try conditions on an address before they are saved',
  description:
    'Saves nothing and opens nothing. Every condition is read, also those that do not decide any more. Anybody who is signed in may ask about any address: what chains say is public.',
  auth: 'session',
  params: node,
  body: {
    kind: 'json',
    schema: v.object({ address: identitySchema, ...conditionFields, about: v.optional(identitySchema), dynamicData }),
  },
  response: { kind: 'json', schema: verdict },
  errors: [...sessionErrors, 'INVALID_CONDITION', 'CHAIN_NOT_SUPPORTED'],
  dialect: 'keyNode',
  limits: { ...json, perMinute: 30 },
  idempotent: true,
}))

const changeKinds = ['save', 'share', 'revoke', 'transfer', 'conditions', 'retire', 'repair'] as const
const status = v.object({
  node: v.number(),
  cid: v.string(),
  owner: v.string(),
  /** `provisional` until three nodes name the same owner; `pending` while a new set is on fewer than three. */
  state: v.picklist(['provisional', 'held', 'pending', 'retired']),
  /** Grows with every change on this node. */
  version: v.number(),
  /** Name of the set its shard is of; a legacy set has a name of its own that starts with `auth:`. */
  setId: v.string(),
  pendingSetId: v.nullable(v.string()),
  /** Hash over owner, addresses, conditions and set: equal on nodes that agree. */
  digest: v.string(),
  sharedTo: v.array(v.string()),
  hasConditions: v.boolean(),
  /** Name of the conditions: equal on nodes that have the same. */
  conditionsId: v.optional(v.nullable(v.string()), null),
  /** How often addresses were revoked here under this owner; shown to the owner alone. */
  revocations: v.optional(v.array(v.object({ address: v.string(), times: v.number() })), []),
  successor: v.nullable(v.string()),
  lastChange: v.object({ kind: v.picklist(changeKinds), at: v.number(), id: v.string() }),
  /** How long the last change may still be on its way to the other nodes, in ms: nobody should take it back before. */
  settlesInMs: v.optional(v.number(), 0),
  createdAt: v.number(),
  updatedAt: v.number(),
})
export type KeyStatus = v.InferOutput<typeof status>

/** `GET /api/keys/status/{node}/{cid}`: what a node holds about a file, for its owner and recipients. */
export const getKeyStatus = /* @__PURE__ */ makeCall(() => ({
  id: 'getKeyStatus',
  method: 'GET',
  path: '/api/keys/status/{node}/{cid}',
  host: 'keys',
  tag: 'Keys',
  summary: 'What a node holds about a file',
  description: 'Compare the digests of the five: a change that stopped half-way shows, and repairKey mends it.',
  auth: 'session',
  params: v.object({ node: nodeNumberSchema, cid: cidSchema }),
  response: { kind: 'json', schema: status },
  errors: [...sessionErrors, 'ACCESS_DENIED', 'KEY_NOT_FOUND'],
  dialect: 'keyNode',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
}))

/** `POST /api/keys/repair/{node}`: lets a node catch up with what three of its peers agree on. */
export const repairKey = /* @__PURE__ */ makeCall(() => ({
  ...change,
  id: 'repairKey',
  method: 'POST',
  path: '/api/keys/repair/{node}',
  summary: 'Let a node catch up with its peers',
  description:
    'The node asks its peers for signed statements. What three of them state and is newer than its own, it takes over: owner, addresses, conditions; never a shard. For the owner, an owner before, and those it is shared with. With `discardVersion` the owner has it take over what is older, too.',
  body: {
    kind: 'json',
    schema: v.object({
      ...subject,
      /**
       * Version of this node's own record that the owner, as three peers name them, has seen and gives up: a change that
       * reached too few nodes is taken back. A record that changed since stays as it is.
       */
      discardVersion: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
    }),
  },
  response: {
    kind: 'json',
    schema: v.object({
      message: v.literal('success'),
      data: v.object({
        /**
         * `undecided`: no three peers agree on something newer. `unable`: they do, but on a set whose shard this node lacks.
         * `recent`: its owner's last change may still be on its way to the others, so it is not taken back yet.
         */
        outcome: v.picklist(['current', 'adopted', 'undecided', 'unable', 'recent']),
        /** After `recent`: when to ask again, in ms. */
        retryAfterMs: v.optional(v.number()),
        version: v.number(),
        digest: v.string(),
      }),
    }),
  },
  errors: changeErrors,
  limits: { ...json, timeoutMs: 20_000 },
}))

/** `POST /api/keys/attest/{node}`: a node's signed statement about a file, for its peers alone. */
export const attestKey = /* @__PURE__ */ makeCall(() => ({
  id: 'attestKey',
  method: 'POST',
  path: '/api/keys/attest/{node}',
  host: 'keys',
  tag: 'Keys',
  summary: 'A signed statement for a peer',
  description: 'Between nodes: the bearer is a token that the asking node signed for this one.',
  auth: 'session',
  params: node,
  body: { kind: 'json', schema: v.object({ cid: cidSchema }) },
  response: { kind: 'json', schema: v.object({ statement: v.pipe(v.string(), v.maxLength(1024 * 1024)) }) },
  errors: [...sessionErrors, 'KEY_NOT_FOUND'],
  dialect: 'keyNode',
  limits: json,
  idempotent: true,
}))

/** `POST /api/keys/retire/{node}`: ends a key for good: after a rotation, or when its file is to be forgotten. */
export const retireKey = /* @__PURE__ */ makeCall(() => ({
  ...change,
  id: 'retireKey',
  method: 'POST',
  path: '/api/keys/retire/{node}',
  summary: 'Retire a key',
  description:
    'Owner only. The shard is destroyed after 30 days and given to nobody but the owner before; the CID stays taken, and names its successor.',
  body: { kind: 'json', schema: v.object({ ...subject, successor: v.optional(cidSchema) }) },
  errors: changeErrors,
}))

/** `GET /api/keys/list/{node}`: the files an address owns, or those shared with it. */
export const listKeys = /* @__PURE__ */ makeCall(() => ({
  id: 'listKeys',
  method: 'GET',
  path: '/api/keys/list/{node}',
  host: 'keys',
  tag: 'Keys',
  summary: 'Files shared by and with an address',
  auth: 'session',
  params: node,
  query: v.object({
    /** `owner`: the caller’s own files and whom they are shared with; `recipient`: those shared with the caller. */
    role: v.picklist(['owner', 'recipient']),
    /** `next` of the page before. */
    after: v.optional(v.pipe(v.string(), v.maxLength(200))),
    limit: v.optional(
      v.pipe(v.union([v.string(), v.number()]), v.toNumber(), v.integer(), v.minValue(1), v.maxValue(keyListRowsMost)),
    ),
  }),
  response: {
    kind: 'json',
    schema: v.object({
      files: v.array(
        v.object({
          cid: v.string(),
          owner: v.string(),
          /** Whom it is shared with; shown to the owner only. */
          sharedTo: v.array(v.string()),
          hasConditions: v.boolean(),
          state: v.picklist(['provisional', 'held', 'pending', 'retired']),
          createdAt: v.number(),
          updatedAt: v.number(),
        }),
      ),
      next: v.nullable(v.string()),
    }),
  },
  errors: sessionErrors,
  dialect: 'keyNode',
  limits: { timeoutMs: callTimeoutMs, perMinute: 600 },
  idempotent: true,
}))
