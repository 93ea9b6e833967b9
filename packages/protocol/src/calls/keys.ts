import * as v from 'valibot'
import { makeCall, sessionErrors } from '../call.ts'
import { callTimeoutMs, maxKeyEventRows, maxKeyListRows, maxSpareFiles } from '../limits.ts'
import { cidSchema } from '../schemas/cid.ts'
import { shardPayloadSchema, shardSetSchema, spareSchema } from '../schemas/shards.ts'
import { addresses, change, changeErrors, dynamicData, json, node, subject } from './key-frame.ts'
import { nodeNumberSchema } from './sessions.ts'

/**
 * `POST /api/setSharedKey/{node}`: saves the shard of a file key for this node. The first address to save owns the CID.
 */
export const saveShard = /* @__PURE__ */ makeCall(() => ({
  ...change,
  id: 'saveShard',
  method: 'POST',
  path: '/api/setSharedKey/{node}',
  summary: 'Save a shard',
  description:
    'The first writer owns the CID. The owner can save a new shard. The previous shard is kept for 30 days and stays active until three nodes have the new set.',
  body: {
    kind: 'json',
    schema: v.object({
      ...subject,
      payload: shardPayloadSchema,
      sharedTo: v.optional(v.nullable(addresses)),
      /** Commitments to the whole set: the node verifies its own and returns all to recipients. */
      set: v.optional(shardSetSchema),
      /** Parts of a spare set, with which nodes replace the shards without the owner. */
      spare: v.optional(spareSchema),
    }),
  },
  errors: [...changeErrors, 'SHARD_MISMATCH', 'INVALID_SHARD', 'KEY_LIMIT'],
}))

const retrieved = v.object({
  payload: shardPayloadSchema,
  /** Commitments to the set of the shard, if its owner sent them. */
  set: v.optional(shardSetSchema),
  version: v.optional(v.number()),
  /** Shards of other sets under the same CID: a pending one, or the previous one. */
  alternatives: v.optional(
    v.array(v.object({ payload: shardPayloadSchema, set: v.optional(shardSetSchema), savedAt: v.number() })),
  ),
})

/** `POST /api/retrieveSharedKey/{node}`: returns the shard of this node to addresses with read access. */
export const retrieveShard = /* @__PURE__ */ makeCall(() => ({
  id: 'retrieveShard',
  method: 'POST',
  path: '/api/retrieveSharedKey/{node}',
  host: 'keys',
  tag: 'Keys',
  summary: 'Get a shard',
  description: 'For the owner, for addresses that the file is shared with, and for addresses that meet its conditions.',
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
    'KEY_UNCONFIRMED',
    'CONDITION_UNKNOWN',
    'CHAIN_NOT_SUPPORTED',
    'DATA_DAMAGED',
  ],
  dialect: 'keyNode',
  limits: json,
  idempotent: true,
}))

const changeKinds = ['save', 'share', 'revoke', 'transfer', 'conditions', 'retire', 'repair'] as const
// In functions, so that bundles of clients that do not ask for them leave them out.
const status = /* @__PURE__ */ (() =>
  v.object({
    node: v.number(),
    cid: v.string(),
    owner: v.string(),
    /** Whether the record comes from a backup and is unconfirmed: the node returns no shard of it. */
    isRestored: v.optional(v.boolean()),
    /** `provisional` until three nodes name the same owner; `pending` while a new set is on fewer than three. */
    state: v.picklist(['provisional', 'held', 'pending', 'retired']),
    /** Increases with every change on this node. */
    version: v.number(),
    /** Id of the set of its shard; a legacy set has an id that starts with `auth:`. */
    setId: v.string(),
    pendingSetId: v.nullable(v.string()),
    /** Hash over owner, addresses, conditions and set: equal on nodes that agree. */
    digest: v.string(),
    sharedTo: v.array(v.string()),
    hasConditions: v.boolean(),
    /** Id of the conditions: equal on nodes with the same conditions. */
    conditionsId: v.optional(v.nullable(v.string()), null),
    /** Number of revocations of each address on this node under this owner; shown only to the owner. */
    revocations: v.optional(v.array(v.object({ address: v.string(), times: v.number() })), []),
    successor: v.nullable(v.string()),
    lastChange: v.object({ kind: v.picklist(changeKinds), at: v.number(), id: v.string() }),
    /** Time in ms that the last change may still be on its way to the other nodes: it must not be reverted before. */
    settlesInMs: v.optional(v.number(), 0),
    /**
     * Whether the node has its parts of a spare set, with which its operator can replace all shards without the owner; shown only
     * to the owner.
     */
    hasSpare: v.optional(v.boolean()),
    createdAt: v.number(),
    updatedAt: v.number(),
  }))()
export type KeyStatus = v.InferOutput<typeof status>

/** `GET /api/keys/status/{node}/{cid}`: returns the state of a file key on a node, for its owner and recipients. */
export const getKeyStatus = /* @__PURE__ */ makeCall(() => ({
  id: 'getKeyStatus',
  method: 'GET',
  path: '/api/keys/status/{node}/{cid}',
  host: 'keys',
  tag: 'Keys',
  summary: 'Get the state of a file key on a node',
  description:
    'Compare the digests of the five nodes to detect an incomplete change. repairKey completes or reverts it.',
  auth: 'session',
  params: v.object({ node: nodeNumberSchema, cid: cidSchema }),
  response: { kind: 'json', schema: status },
  errors: [...sessionErrors, 'ACCESS_DENIED', 'KEY_NOT_FOUND'],
  dialect: 'keyNode',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
}))

const keyEvent = /* @__PURE__ */ (() =>
  v.variant('kind', [
    v.object({
      /** A shard was returned (`opened`), or refused for lack of a right (`denied`). One row per address and hour. */
      kind: v.picklist(['opened', 'denied']),
      cid: v.string(),
      address: v.string(),
      /** The first and the last time within the hour, in ms since 1970, by the clock of the node. */
      since: v.number(),
      at: v.number(),
      count: v.number(),
    }),
    v.object({
      kind: v.picklist(changeKinds),
      cid: v.string(),
      address: v.string(),
      at: v.number(),
      /** The version that the record reached, and the id of the change: equal on nodes that agree. */
      version: v.number(),
      id: v.string(),
      /** The addresses that were added, revoked or made owner; at most 100 of them. */
      addresses: v.array(v.string()),
    }),
  ]))()
export type KeyEventRow = v.InferOutput<typeof keyEvent>

/** `GET /api/keys/events/{node}`: lists who opened the caller's files or was refused, and what the caller changed. */
export const listKeyEvents = /* @__PURE__ */ makeCall(() => ({
  id: 'listKeyEvents',
  method: 'GET',
  path: '/api/keys/events/{node}',
  host: 'keys',
  tag: 'Keys',
  summary: 'List who opened files, and changes of their rights',
  description:
    'Newest first. Each node keeps its own log. Opening a file takes three shards, so an entry that fewer than three nodes list did not open the file. Events belong to the address that owned the file when they happened.',
  auth: 'session',
  params: node,
  query: v.object({
    cid: v.optional(cidSchema),
    /** Time in ms since 1970: only older events are listed. */
    before: v.optional(v.pipe(v.union([v.string(), v.number()]), v.toNumber(), v.safeInteger(), v.minValue(0))),
    limit: v.optional(
      v.pipe(v.union([v.string(), v.number()]), v.toNumber(), v.integer(), v.minValue(1), v.maxValue(maxKeyEventRows)),
    ),
  }),
  response: {
    kind: 'json',
    schema: v.object({
      events: v.array(keyEvent),
      hasMore: v.boolean(),
      /** How long the node keeps openings and refusals; 0 if it keeps none. */
      accessLogDays: v.number(),
    }),
  },
  errors: sessionErrors,
  dialect: 'keyNode',
  limits: { timeoutMs: callTimeoutMs, perMinute: 600 },
  idempotent: true,
}))

/** `POST /api/keys/repair/{node}`: makes a node catch up with the state that three of its peers agree on. */
export const repairKey = /* @__PURE__ */ makeCall(() => ({
  ...change,
  id: 'repairKey',
  method: 'POST',
  path: '/api/keys/repair/{node}',
  summary: 'Repair a node from its peers',
  description:
    'The node requests signed statements from its peers, and adopts the newer state that three of them agree on: owner, addresses and conditions, but never a shard. Available to the owner, previous owners, and addresses that the file is shared with. With `discardVersion`, the owner lets the node also adopt an older state. If a record is from a backup and no three peers agree, its owner can still replace it; only rights that all peers list are kept.',
  body: {
    kind: 'json',
    schema: v.object({
      ...subject,
      /**
       * Version of the record of this node that the owner, as named by three peers, has seen and discards: a change on too few
       * nodes is reverted. A record that has changed since then stays.
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
         * `undecided`: no three peers agree on a newer state, or that state would restore rights that the owner withdrew on this
         * node, and the caller is not the owner. `unable`: they agree, but on a set whose shard this node lacks. `recent`: the
         * last change by the owner may still be on its way to the others, so it is not reverted yet.
         */
        outcome: v.picklist(['current', 'adopted', 'undecided', 'unable', 'recent']),
        /** After `recent`: the time in ms to wait before a retry. */
        retryAfterMs: v.optional(v.number()),
        version: v.number(),
        digest: v.string(),
      }),
    }),
  },
  errors: changeErrors,
  limits: { ...json, timeoutMs: 20_000 },
}))

/** Statements between nodes, signed by the sender. */
const signedStatement = /* @__PURE__ */ (() =>
  ({
    kind: 'json',
    schema: v.object({ statement: v.pipe(v.string(), v.maxLength(1024 * 1024)) }),
  }) as const)()

/** `POST /api/keys/attest/{node}`: returns the signed statement of a node about a file, for its peers only. */
export const attestKey = /* @__PURE__ */ makeCall(() => ({
  id: 'attestKey',
  method: 'POST',
  path: '/api/keys/attest/{node}',
  host: 'keys',
  tag: 'Keys',
  summary: 'Get a signed statement as a peer',
  description: 'Used between nodes. The bearer is a token that the calling node signed for this one.',
  auth: 'peer',
  params: node,
  body: { kind: 'json', schema: v.object({ cid: cidSchema }) },
  response: signedStatement,
  errors: [...sessionErrors, 'KEY_NOT_FOUND', 'KEY_UNCONFIRMED'],
  dialect: 'keyNode',
  limits: json,
  idempotent: true,
}))

/**
 * `POST /api/keys/spares/{node}`: returns the parts of spare shards that a node has for another, for its peers only,
 * while the operators of both replace the shards of all keys.
 */
export const exchangeSpares = /* @__PURE__ */ makeCall(() => ({
  id: 'exchangeSpares',
  method: 'POST',
  path: '/api/keys/spares/{node}',
  host: 'keys',
  tag: 'Keys',
  summary: 'Get parts of spare shards as a peer',
  description:
    'Used between nodes. The bearer is a token that the calling node signed for this one. The response is encrypted for the caller.',
  auth: 'peer',
  params: node,
  body: {
    kind: 'json',
    schema: v.object({
      /** Files whose parts the caller asks for. */
      cids: v.optional(v.pipe(v.array(cidSchema), v.maxLength(maxSpareFiles))),
      /** Lists files after this one; from the start for an empty text. */
      after: v.optional(v.pipe(v.string(), v.maxLength(200))),
    }),
  },
  response: signedStatement,
  errors: sessionErrors,
  dialect: 'keyNode',
  limits: json,
  idempotent: true,
}))

/** `POST /api/keys/retire/{node}`: retires a key permanently, after a rotation or to make its file unreadable. */
export const retireKey = /* @__PURE__ */ makeCall(() => ({
  ...change,
  id: 'retireKey',
  method: 'POST',
  path: '/api/keys/retire/{node}',
  summary: 'Retire a key',
  description:
    'Owner only. The shard is destroyed after 30 days, and until then only the owner can retrieve it. The CID stays reserved and refers to its successor.',
  body: { kind: 'json', schema: v.object({ ...subject, successor: v.optional(cidSchema) }) },
  errors: changeErrors,
}))

/** `GET /api/keys/list/{node}`: lists the files that an address owns, or those shared with it. */
export const listKeys = /* @__PURE__ */ makeCall(() => ({
  id: 'listKeys',
  method: 'GET',
  path: '/api/keys/list/{node}',
  host: 'keys',
  tag: 'Keys',
  summary: 'List files shared by and with an address',
  auth: 'session',
  params: node,
  query: v.object({
    /** `owner`: the files of the caller, with their recipients; `recipient`: those shared with the caller. */
    role: v.picklist(['owner', 'recipient']),
    /** `next` of the previous page. */
    after: v.optional(v.pipe(v.string(), v.maxLength(200))),
    limit: v.optional(
      v.pipe(v.union([v.string(), v.number()]), v.toNumber(), v.integer(), v.minValue(1), v.maxValue(maxKeyListRows)),
    ),
  }),
  response: {
    kind: 'json',
    schema: v.object({
      files: v.array(
        v.object({
          cid: v.string(),
          owner: v.string(),
          /** Recipients; shown to the owner only. */
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
