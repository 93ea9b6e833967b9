import * as v from 'valibot'
import { defineCall } from '../call.ts'
import type { ErrorCode } from '../errors/error-table.ts'
import { callTimeoutMs, maxJsonBodyBytes, maxLeafWindows, maxPieceListRows, maxPossessionLeaves } from '../limits.ts'

/** A piece CID of version 2, checked by its form; the provider parses it fully. */
const pieceCid = v.pipe(v.string('Invalid piece CID'), v.regex(/^[a-zA-Z0-9]{20,160}$/, 'Invalid piece CID'))
const params = v.object({ cid: pieceCid })
const hex32 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'must be 32 bytes as 64 lowercase hex characters'))
const json = { bodyBytes: maxJsonBodyBytes, timeoutMs: callTimeoutMs }

/**
 * A run of consecutive leaves, counted from the first of the tree: for example the position of a piece in an aggregate.
 */
const leafWindow = v.object({
  start: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  count: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
})
export type LeafWindow = v.InferOutput<typeof leafWindow>
/** Windows in ascending order without overlap: for example the pieces of an aggregate and its index. */
const leafWindowList = v.pipe(v.array(leafWindow), v.minLength(1), v.maxLength(maxLeafWindows))
const leafWindows = v.union([leafWindowList, leafWindow])
export type LeafWindows = LeafWindow | readonly LeafWindow[]

/** State of a piece at a provider: queued for download, downloading, stored, failed, or stored and damaged since. */
export const pieceStates = ['queued', 'pulling', 'kept', 'failed', 'damaged'] as const
export type PieceState = (typeof pieceStates)[number]

/** Status of a piece at a provider. Times are ms since 1970. */
export const pieceStatusSchema = v.object({
  piece: v.string(),
  state: v.picklist(pieceStates),
  /** Size of the payload in bytes, as in the piece CID. */
  payloadBytes: v.number(),
  /** Bytes of it that are there. */
  receivedBytes: v.number(),
  /** Time since which the whole piece is stored. */
  keptSince: v.nullable(v.number()),
  /** Error of the last download attempt, or the damage. */
  lastError: v.nullable(v.object({ code: v.string(), message: v.string() })),
  /** Time of the last read by a client, to within a minute. */
  lastReadAt: v.nullable(v.number()),
  /** Time when the provider last read all of it and found it intact. */
  checkedAt: v.nullable(v.number()),
})
export type PieceStatus = v.InferOutput<typeof pieceStatusSchema>

const forAll = { host: 'provider', tag: 'Providers', auth: 'none', dialect: 'api', limits: json } as const
const forKey = { ...forAll, auth: 'providerKey' } as const
const keyErrors = ['UNAUTHENTICATED'] as const satisfies readonly ErrorCode[]
const pieceErrors = ['INVALID_PIECE_CID', 'PIECE_NOT_FOUND'] as const satisfies readonly ErrorCode[]
const readErrors = [...pieceErrors, 'PIECE_DAMAGED'] as const satisfies readonly ErrorCode[]

/** `GET /` of a provider: returns its identity and capacity. */
export const describeProvider = defineCall({
  ...forAll,
  id: 'describeProvider',
  method: 'GET',
  path: '/',
  summary: 'Get the identity and capacity of the provider',
  response: {
    kind: 'json',
    schema: v.object({
      name: v.string(),
      /** Ed25519 public key as multibase; it signs the statements of the provider. */
      id: v.string(),
      version: v.string(),
      capacityBytes: v.number(),
      /** Bytes of the pieces it stores or has accepted, without padding. */
      usedBytes: v.number(),
      /** Number of pieces in each state. */
      pieces: v.record(v.picklist(pieceStates), v.number()),
      limits: v.object({
        maxPayloadBytes: v.number(),
        maxPossessionLeaves: v.number(),
        /** Per address; 0 for no limit. */
        challengesPerMinute: v.number(),
        pullsAtOnce: v.number(),
      }),
    }),
  },
  errors: [],
  idempotent: true,
})

/** `POST /pieces`: asks a provider to fetch a piece and store it. */
export const offerPiece = defineCall({
  ...forKey,
  id: 'offerPiece',
  method: 'POST',
  path: '/pieces',
  summary: 'Offer a piece',
  description:
    'The provider fetches the payload from the URL asynchronously, without the ranges outside `content`, which are zeros. It stores the payload only if it matches the commitment in the piece CID. Offering a failed or damaged piece again fetches it again, and has no effect on other pieces.',
  body: {
    kind: 'json',
    schema: v.object({
      piece: pieceCid,
      /**
       * URL of the payload, below one of the sources that the operator of the provider configured. Redirects are not
       * followed.
       */
      url: v.pipe(v.string(), v.maxLength(2048), v.url()),
      /** Sent as the Authorization header to the URL, and to no other host. */
      authorization: v.optional(v.pipe(v.string(), v.maxLength(4096), v.regex(/^[\x20-\x7e]+$/))),
      /**
       * The leaves with data: the provider fetches no others, because they are zeros. Defaults to the whole payload.
       */
      content: v.optional(leafWindowList),
    }),
  },
  response: { kind: 'json', schema: pieceStatusSchema },
  status: 202,
  errors: [
    ...keyErrors,
    'INVALID_PIECE_CID',
    'PIECE_TOO_LARGE',
    'PROVIDER_FULL',
    'SOURCE_NOT_ALLOWED',
    'STORAGE_FULL',
    'CONFLICT',
  ],
  idempotent: true,
})

/** `GET /pieces/{cid}`: returns the status of a piece. */
export const getPieceStatus = defineCall({
  ...forAll,
  id: 'getPieceStatus',
  method: 'GET',
  path: '/pieces/{cid}',
  summary: 'Get the state of a piece',
  params,
  response: { kind: 'json', schema: pieceStatusSchema },
  errors: pieceErrors,
  idempotent: true,
})

/** `GET /pieces`: lists all pieces of a provider, ordered by CID. */
export const listPieces = defineCall({
  ...forKey,
  id: 'listPieces',
  method: 'GET',
  path: '/pieces',
  summary: 'List pieces',
  query: v.object({
    /** Piece CID of the last row of the previous page. */
    after: v.optional(pieceCid),
    /** Rows per page. */
    limit: v.optional(
      v.pipe(v.string(), v.regex(/^\d{1,4}$/), v.transform(Number), v.minValue(1), v.maxValue(maxPieceListRows)),
    ),
    state: v.optional(v.picklist(pieceStates)),
  }),
  response: {
    kind: 'json',
    /** Pass `next` as `after`; absent on the last page. */
    schema: v.object({ pieces: v.array(pieceStatusSchema), next: v.optional(v.string()) }),
  },
  errors: [...keyErrors, 'INVALID_PIECE_CID'],
  idempotent: true,
})

/** Answer to a challenge: leaves with their paths, and the signature of the provider over all of it. */
export const challengeAnswerSchema = v.object({
  piece: v.string(),
  nonce: hex32,
  count: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maxPossessionLeaves)),
  /** Requested range of the leaves; absent for the whole payload. */
  within: v.optional(leafWindows),
  /** By the clock of the provider, in ms since 1970. Only the nonce proves that it is not older. */
  provenAt: v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(8_640_000_000_000_000)),
  proof: v.pipe(
    v.array(
      v.object({
        index: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
        leaf: hex32,
        path: v.pipe(v.array(hex32), v.maxLength(64)),
      }),
    ),
    v.maxLength(maxPossessionLeaves),
  ),
  /** Id of the provider. */
  provider: v.pipe(v.string(), v.maxLength(100)),
  /** Ed25519 signature in hex; `@cairn/pieces` has the text that it covers. */
  signature: v.pipe(v.string(), v.regex(/^[0-9a-f]{128}$/)),
})
export type ChallengeAnswer = v.InferOutput<typeof challengeAnswerSchema>

/** `POST /pieces/{cid}/challenge`: returns a proof that the provider has the bytes now. */
export const challengePiece = defineCall({
  ...forAll,
  id: 'challengePiece',
  method: 'POST',
  path: '/pieces/{cid}/challenge',
  summary: 'Challenge a provider',
  description:
    'Public. The nonce selects the leaves of the piece to prove. With a random nonce, the provider cannot prepare the response in advance.',
  params,
  body: {
    kind: 'json',
    schema: v.object({
      /** 32 random bytes in hex. */
      nonce: hex32,
      /** Number of leaves. */
      count: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maxPossessionLeaves)),
      /** Range of the leaves: one window or several. Defaults to the whole payload. */
      within: v.optional(leafWindows),
    }),
  },
  response: { kind: 'json', schema: challengeAnswerSchema },
  errors: readErrors,
  limits: { ...json, timeoutMs: 60_000, perMinute: 120 },
  idempotent: true,
})

/** `GET /pieces/{cid}/payload`: returns the bytes of a piece, or one range of them. */
export const getPiecePayload = defineCall({
  ...forAll,
  id: 'getPiecePayload',
  method: 'GET',
  path: '/pieces/{cid}/payload',
  summary: 'Read a piece',
  description:
    'Public. Supports HEAD, a single range, If-Range and If-None-Match (RFC 9110). Every byte is verified against the piece before it is sent. A response that stops early indicates damage.',
  params,
  response: { kind: 'bytes' },
  errors: [...readErrors, 'INVALID_RANGE'],
  limits: {},
  idempotent: true,
})

/** `DELETE /pieces/{cid}`: removes a piece. */
export const removePiece = defineCall({
  ...forKey,
  id: 'removePiece',
  method: 'DELETE',
  path: '/pieces/{cid}',
  summary: 'Remove a piece',
  description: 'Removing a missing piece succeeds. `removed` is true if the piece existed.',
  params,
  response: { kind: 'json', schema: v.object({ piece: v.string(), removed: v.boolean() }) },
  errors: [...keyErrors, 'INVALID_PIECE_CID'],
  idempotent: true,
})
