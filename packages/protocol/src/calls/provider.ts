import * as v from 'valibot'
import { defineCall } from '../call.ts'
import type { ErrorCode } from '../errors.ts'
import {
  callTimeoutMs,
  jsonBodyBytesMost,
  leafWindowsMost,
  pieceListRowsMost,
  possessionLeavesMost,
} from '../limits.ts'

/** A piece CID of version 2, checked for its form; the provider reads it whole afterwards. */
const pieceCid = v.pipe(v.string('Invalid piece CID'), v.regex(/^[a-zA-Z0-9]{20,160}$/, 'Invalid piece CID'))
const params = v.object({ cid: pieceCid })
const hex32 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'Give 32 bytes as 64 hex characters in lower case'))
const json = { bodyBytes: jsonBodyBytesMost, timeoutMs: callTimeoutMs }

/** Leaves that follow each other, counted from the first of the tree: where a piece lies in an aggregate, say. */
const leafWindow = v.object({
  start: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  count: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
})
export type LeafWindow = v.InferOutput<typeof leafWindow>
/** Windows in their order that do not overlap: the pieces of an aggregate and its index, say. */
const leafWindowList = v.pipe(v.array(leafWindow), v.minLength(1), v.maxLength(leafWindowsMost))
const leafWindows = v.union([leafWindowList, leafWindow])
export type LeafWindows = LeafWindow | readonly LeafWindow[]

/**
 * What becomes of a piece at a provider: it waits to be fetched, is being fetched, is kept, could not be had, or was kept and
 * is no longer what it was.
 */
export const pieceStates = ['queued', 'pulling', 'kept', 'failed', 'damaged'] as const
export type PieceState = (typeof pieceStates)[number]

/** What a provider tells about a piece. Times are ms since 1970. */
export const pieceStatusSchema = v.object({
  piece: v.string(),
  state: v.picklist(pieceStates),
  /** Bytes of the payload, as the piece CID says. */
  payloadBytes: v.number(),
  /** How much of them is there. */
  receivedBytes: v.number(),
  /** Since when the whole piece is kept. */
  keptSince: v.nullable(v.number()),
  /** Why the last try to fetch it failed, or what is wrong with it. */
  lastError: v.nullable(v.object({ code: v.string(), message: v.string() })),
  /** When it was last read for somebody, to within a minute. */
  lastReadAt: v.nullable(v.number()),
  /** When the provider last read all of it and found it whole. */
  checkedAt: v.nullable(v.number()),
})
export type PieceStatus = v.InferOutput<typeof pieceStatusSchema>

const forAll = { host: 'provider', tag: 'Providers', auth: 'none', dialect: 'api', limits: json } as const
const forKey = { ...forAll, auth: 'providerKey' } as const
const keyErrors = ['UNAUTHENTICATED'] as const satisfies readonly ErrorCode[]
const pieceErrors = ['INVALID_PIECE_CID', 'PIECE_NOT_FOUND'] as const satisfies readonly ErrorCode[]
const readErrors = [...pieceErrors, 'PIECE_DAMAGED'] as const satisfies readonly ErrorCode[]

/** `GET /` of a provider: who it is, and what it has room for. */
export const describeProvider = defineCall({
  ...forAll,
  id: 'describeProvider',
  method: 'GET',
  path: '/',
  summary: 'Who the provider is, and its room',
  response: {
    kind: 'json',
    schema: v.object({
      name: v.string(),
      /** Ed25519 public key, as multibase: what its statements are signed with. */
      id: v.string(),
      version: v.string(),
      capacityBytes: v.number(),
      /** Bytes of the pieces it keeps or has promised to fetch, without the zeros that fill them up. */
      usedBytes: v.number(),
      /** How many pieces there are in each state. */
      pieces: v.record(v.picklist(pieceStates), v.number()),
      limits: v.object({
        payloadBytesMost: v.number(),
        possessionLeavesMost: v.number(),
        challengesPerMinute: v.number(),
        pullsAtOnce: v.number(),
      }),
    }),
  },
  errors: [],
  idempotent: true,
})

/** `POST /pieces`: asks a provider to fetch a piece and keep it. */
export const offerPiece = defineCall({
  ...forKey,
  id: 'offerPiece',
  method: 'POST',
  path: '/pieces',
  summary: 'Offer a piece',
  description:
    'The provider fetches the payload from the URL in its own time, without what `content` says to be zeros, and keeps it only if it has the commitment that the piece CID states. Offered again, a piece that failed or is damaged is fetched anew; any other stays as it is.',
  body: {
    kind: 'json',
    schema: v.object({
      piece: pieceCid,
      /** Where the payload is: below one of the sources that the provider’s operator named. Redirects are not followed. */
      url: v.pipe(v.string(), v.maxLength(2048), v.url()),
      /** Sent as the Authorization header to the URL, and to nobody else. */
      authorization: v.optional(v.pipe(v.string(), v.maxLength(4096), v.regex(/^[\x20-\x7e]+$/))),
      /** The leaves that hold something: no others are fetched, for they are zeros. Defaults to the whole payload. */
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

/** `GET /pieces/{cid}`: what became of a piece. */
export const getPieceStatus = defineCall({
  ...forAll,
  id: 'getPieceStatus',
  method: 'GET',
  path: '/pieces/{cid}',
  summary: 'The state of a piece',
  params,
  response: { kind: 'json', schema: pieceStatusSchema },
  errors: pieceErrors,
  idempotent: true,
})

/** `GET /pieces`: all pieces of a provider, in the order of their CIDs. */
export const listPieces = defineCall({
  ...forKey,
  id: 'listPieces',
  method: 'GET',
  path: '/pieces',
  summary: 'List pieces',
  query: v.object({
    /** Piece CID of the last row of the page before. */
    after: v.optional(pieceCid),
    /** Rows of the page. */
    limit: v.optional(
      v.pipe(v.string(), v.regex(/^\d{1,4}$/), v.transform(Number), v.minValue(1), v.maxValue(pieceListRowsMost)),
    ),
    state: v.optional(v.picklist(pieceStates)),
  }),
  response: {
    kind: 'json',
    /** `next` is what to give as `after`; absent on the last page. */
    schema: v.object({ pieces: v.array(pieceStatusSchema), next: v.optional(v.string()) }),
  },
  errors: [...keyErrors, 'INVALID_PIECE_CID'],
  idempotent: true,
})

/** An answer to a challenge: leaves with their paths, and the provider's signature over all of it. */
export const challengeAnswerSchema = v.object({
  piece: v.string(),
  nonce: hex32,
  count: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(possessionLeavesMost)),
  /** Where the leaves were to lie; absent where that was anywhere. */
  within: v.optional(leafWindows),
  /** By the provider's own clock, ms since 1970. That it is not older is known from the nonce alone. */
  provenAt: v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(8_640_000_000_000_000)),
  proof: v.pipe(
    v.array(
      v.object({
        index: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
        leaf: hex32,
        path: v.pipe(v.array(hex32), v.maxLength(64)),
      }),
    ),
    v.maxLength(possessionLeavesMost),
  ),
  /** Id of the provider. */
  provider: v.pipe(v.string(), v.maxLength(100)),
  /** Ed25519 signature in hex; `@cairn/pieces` has the text that it covers. */
  signature: v.pipe(v.string(), v.regex(/^[0-9a-f]{128}$/)),
})
export type ChallengeAnswer = v.InferOutput<typeof challengeAnswerSchema>

/** `POST /pieces/{cid}/challenge`: proof that the provider has the bytes now. */
export const challengePiece = defineCall({
  ...forAll,
  id: 'challengePiece',
  method: 'POST',
  path: '/pieces/{cid}/challenge',
  summary: 'Challenge a provider',
  description:
    'Open to anybody. The nonce decides which leaves of the piece have to be shown; who picks it at random knows that the provider could not prepare the answer.',
  params,
  body: {
    kind: 'json',
    schema: v.object({
      /** 32 random bytes in hex. */
      nonce: hex32,
      /** How many leaves. */
      count: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(possessionLeavesMost)),
      /** Where they have to lie: one window or several. Defaults to the whole payload. */
      within: v.optional(leafWindows),
    }),
  },
  response: { kind: 'json', schema: challengeAnswerSchema },
  errors: readErrors,
  limits: { ...json, timeoutMs: 60_000, perMinute: 120 },
  idempotent: true,
})

/** `GET /pieces/{cid}/payload`: the bytes of a piece, or one range of them. */
export const getPiecePayload = defineCall({
  ...forAll,
  id: 'getPiecePayload',
  method: 'GET',
  path: '/pieces/{cid}/payload',
  summary: 'Read a piece',
  description:
    'Open to anybody. HEAD, one range, If-Range and If-None-Match as in RFC 9110. Every byte is checked against the piece before it leaves: an answer that breaks off met damage.',
  params,
  response: { kind: 'bytes' },
  errors: [...readErrors, 'INVALID_RANGE'],
  limits: {},
  idempotent: true,
})

/** `DELETE /pieces/{cid}`: ends the keeping of a piece. */
export const removePiece = defineCall({
  ...forKey,
  id: 'removePiece',
  method: 'DELETE',
  path: '/pieces/{cid}',
  summary: 'Remove a piece',
  description: 'Removing what is not there is no error; `removed` says whether it was.',
  params,
  response: { kind: 'json', schema: v.object({ piece: v.string(), removed: v.boolean() }) },
  errors: [...keyErrors, 'INVALID_PIECE_CID'],
  idempotent: true,
})
