import * as v from 'valibot'
import { authErrors, defineCall, deniedErrors } from '../call.ts'
import { callTimeoutMs, maxJsonBodyBytes } from '../limits.ts'
import { reasonFactsSchema } from '../reasons/reason.ts'
import { anyCidSchema } from '../schemas/cid.ts'
import { challengeAnswerSchema } from './provider.ts'

const limits = { timeoutMs: callTimeoutMs }
const node: v.GenericSchema<string> = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const pieceCid = v.pipe(v.string(), v.regex(/^b[a-z2-7]{50,110}$/, 'Invalid piece CID'))
/**
 * Rules with plain types: those of all fields together would be too deep for the compiler. Times are in ms since 1970;
 * the maximum is that of a Date.
 */
const time: v.GenericSchema<number> = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(0),
  v.maxValue(8_640_000_000_000_000),
)
const size: v.GenericSchema<number> = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const base64 = /^[A-Za-z0-9+/]*={0,2}$/
/** A block of 2 MiB and the bytes next to it, in base64. */
const maxBlockText = 3 * 1024 * 1024
/** Maximum number of CARs of the content in one piece. */
const maxCars = 100_000
/** Maximum number of pieces per response. */
export const maxProofPieces = 32
/** Maximum number of deals per piece. */
export const maxProofDeals = 32
const cidQuery = v.object({ cid: anyCidSchema, network: v.optional(v.pipe(v.string(), v.maxLength(32))) })

/** States of a deal, as users see them. */
export const dealStates = ['queued', 'offered', 'kept', 'proving', 'faulted', 'failed', 'ended'] as const

const possessionCheck = v.object({
  id: v.string(),
  dealId: size,
  askedAt: time,
  outcome: v.picklist(['proved', 'wrong', 'silent']),
  reason: v.nullable(v.string()),
  reasonFacts: v.optional(reasonFactsSchema),
  nonce: node,
  /** Source of the nonce: `random`, or a block of a chain. */
  nonceSource: v.string(),
  leafCount: size,
  /** The signed answer of the provider; stored for the newest ones only. */
  answer: v.nullable(challengeAnswerSchema),
})
/** A challenge to a provider, and its result. */
export type PossessionCheck = v.InferOutput<typeof possessionCheck>

const deal = v.object({
  id: size,
  provider: v.object({
    name: v.string(),
    kind: v.picklist(['cairn', 'filecoin']),
    /** Public key that signs its proofs; null before the first. */
    key: v.nullable(v.string()),
    /** Its public endpoint; null if it has none. */
    url: v.nullable(v.string()),
  }),
  state: v.picklist(dealStates),
  since: time,
  keptSince: v.nullable(time),
  provenAt: v.nullable(time),
  proofs: size,
  faults: size,
  nextCheckAt: v.nullable(time),
  /** Time since which the provider has not answered the open challenge; null if it answered the last one. */
  silentSince: v.nullable(time),
  retrievalUrl: v.nullable(v.string()),
  error: v.nullable(v.string()),
  errorFacts: v.optional(reasonFactsSchema),
})
/** An aggregate at a provider. */
export type Deal = v.InferOutput<typeof deal>

const merklePath = v.object({ index: size, path: v.pipe(v.array(node), v.maxLength(64)) })

const pieceProofSchema = v.object({
  /** Piece CID of version 2, and of version 1. */
  piece: v.string(),
  pieceV1: v.string(),
  payloadBytes: size,
  paddedBytes: size,
  createdAt: time,
  /**
   * Position of the CARs with blocks of the content in the piece, in payload bytes. A large CAR spans several pieces,
   * cut between blocks: only its first part has the header.
   */
  cars: v.pipe(v.array(v.object({ offset: size, length: size, isHeaded: v.boolean() })), v.maxLength(maxCars)),
  /** Position of the root block of the CID in this piece, with the bytes around it; null if it is in another. */
  block: v.nullable(
    v.object({
      /** Position of the block itself, in payload bytes. */
      offset: size,
      length: size,
      /** The proven bytes: from `from` on, in base64, with the nodes next to them. */
      from: size,
      bytes: v.pipe(v.string(), v.maxLength(maxBlockText), v.regex(base64)),
      path: v.pipe(v.array(node), v.maxLength(128)),
    }),
  ),
  aggregate: v.nullable(
    v.object({
      piece: v.string(),
      pieceV1: v.string(),
      paddedBytes: size,
      /** Position of the piece in it, in padded bytes, and its entry in the index. */
      offset: size,
      copies: size,
      inclusion: v.object({ subtree: merklePath, entry: merklePath }),
      deals: v.pipe(
        v.array(v.object({ ...deal.entries, lastProof: v.nullable(possessionCheck) })),
        v.maxLength(maxProofDeals),
      ),
    }),
  ),
})

/** Everything needed to verify one piece of some content. */
export type PieceProof = v.InferOutput<typeof pieceProofSchema>
/** The schema with an explicit type: the compiler fails on one this deep. */
const pieceProof: v.GenericSchema<PieceProof> = pieceProofSchema

/** `GET /api/proofs/{cid}`: returns everything needed to verify where a CID is stored. */
export const getProofs = defineCall({
  id: 'getProofs',
  method: 'GET',
  path: '/api/proofs/{cid}',
  host: 'api',
  tag: 'Proofs',
  summary: 'Get the proofs of storage of a CID',
  description:
    'Returns the path from the root block to its piece, from the piece to the aggregate, and the last proof of every provider that stores it. Clients can verify all of it, as `cairn verify` and `verifyStorage` of the SDK do. Pieces are listed for every pack of the content, 32 per page. `aggregate` is null until the piece joins an aggregate.',
  auth: 'none',
  params: v.object({ cid: anyCidSchema }),
  query: v.object({
    /** Number of pieces on the previous pages. */
    from: v.optional(v.pipe(v.string(), v.regex(/^\d{1,6}$/), v.transform(Number))),
  }),
  response: {
    kind: 'json',
    schema: v.object({
      cid: v.string(),
      /** Period of challenges in ms: a copy without a proof for longer counts as lost. */
      challengeMs: size,
      /** Packs of the content that are not part of a piece yet, and pieces on later pages. */
      waitingPacks: size,
      furtherPieces: size,
      pieces: v.pipe(v.array(pieceProof), v.maxLength(maxProofPieces)),
    }),
  },
  errors: ['INVALID_CID', ...deniedErrors, 'BLOCK_NOT_FOUND', 'PROOF_NOT_FOUND', 'DATA_DAMAGED', 'PIECE_DAMAGED'],
  dialect: 'api',
  limits: { timeoutMs: 30_000, perMinute: 120 },
  idempotent: true,
})

/** `GET /api/pieces/{piece}/checks`: lists every challenge to the providers of a piece, newest first. */
export const listChecks = defineCall({
  id: 'listChecks',
  method: 'GET',
  path: '/api/pieces/{piece}/checks',
  host: 'api',
  tag: 'Proofs',
  summary: 'List the challenges of a piece',
  description:
    'Returns the challenges of a piece, or of the aggregate that contains it. Set `after` to the id of the last row of the previous page. Only the newest challenge keeps its full response.',
  auth: 'none',
  params: v.object({ piece: pieceCid }),
  query: v.object({
    after: v.optional(v.pipe(v.string(), v.maxLength(64))),
    limit: v.optional(v.pipe(v.string(), v.regex(/^\d{1,3}$/), v.transform(Number), v.minValue(1), v.maxValue(200))),
  }),
  response: { kind: 'json', schema: v.object({ checks: v.array(possessionCheck) }) },
  errors: ['INVALID_PIECE_CID', 'PIECE_NOT_FOUND'],
  dialect: 'api',
  limits: { ...limits, perMinute: 120 },
  idempotent: true,
})

/** `GET /api/aggregates/{piece}/payload`: returns the bytes that a provider fetches. */
export const getAggregatePayload = defineCall({
  id: 'getAggregatePayload',
  method: 'GET',
  path: '/api/aggregates/{piece}/payload',
  host: 'api',
  tag: 'Proofs',
  summary: 'Download an aggregate as its provider',
  description: 'Requires the token of the offer. Supports a single range.',
  auth: 'none',
  params: v.object({ piece: pieceCid }),
  response: { kind: 'bytes' },
  errors: ['UNAUTHENTICATED', 'PIECE_NOT_FOUND', 'INVALID_RANGE', 'DATA_DAMAGED'],
  dialect: 'api',
  limits: {},
  idempotent: true,
})

/** `GET /api/user/copies`: returns the number of providers that store the content of the account. */
export const getCopies = defineCall({
  id: 'getCopies',
  method: 'GET',
  path: '/api/user/copies',
  host: 'api',
  tag: 'Proofs',
  summary: 'Get the replication factor of the account',
  auth: 'apiKey',
  scope: 'files:read',
  response: {
    kind: 'json',
    schema: v.object({ copies: v.number(), defaultCopies: v.number(), maxCopies: v.number() }),
  },
  errors: [...authErrors],
  dialect: 'api',
  limits,
  idempotent: true,
})

/** `PUT /api/user/copies`: sets the number of providers. */
export const setCopies = defineCall({
  id: 'setCopies',
  method: 'PUT',
  path: '/api/user/copies',
  host: 'api',
  tag: 'Proofs',
  summary: 'Set the replication factor of the account',
  description:
    'Applies to new uploads, and raises the number of copies of existing ones. A lower factor keeps existing copies.',
  auth: 'apiKey',
  scope: 'account',
  body: {
    kind: 'json',
    schema: v.object({ copies: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(20)) }),
  },
  response: {
    kind: 'json',
    schema: v.object({ copies: v.number(), defaultCopies: v.number(), maxCopies: v.number() }),
  },
  errors: [...authErrors],
  dialect: 'api',
  limits: { ...limits, bodyBytes: maxJsonBodyBytes, perMinute: 30 },
  idempotent: true,
})

const dealRow = v.object({
  DealID: v.number(),
  Provider: v.string(),
  chainDealID: v.string(),
  dealId: v.number(),
  dealUUID: v.string(),
  dealStatus: v.string(),
  storageProvider: v.string(),
  miner: v.string(),
  startEpoch: v.number(),
  endEpoch: v.number(),
  publishCID: v.string(),
  publishCid: v.string(),
  bundleId: v.string(),
  aggregateIn: v.string(),
  providerCollateral: v.string(),
  pieceCID: v.string(),
  payloadCid: v.string(),
  pieceSize: v.number(),
  carFileSize: v.number(),
  lastUpdate: v.number(),
  content: v.number(),
})

/** `GET /api/lighthouse/deal_status`: returns the deals of a CID, in the formats of published clients. */
export const getDealStatus = defineCall({
  id: 'getDealStatus',
  method: 'GET',
  path: '/api/lighthouse/deal_status',
  host: 'api',
  tag: 'Proofs',
  summary: 'List the deals of a CID',
  description:
    'The list is empty until the first deal. Epochs are 30 seconds each, from the genesis of the Filecoin network. `endEpoch` is 0, because deals last as long as the content is stored. `getProofs` returns more details.',
  auth: 'none',
  query: cidQuery,
  response: { kind: 'json', schema: v.array(dealRow) },
  errors: ['INVALID_CID'],
  dialect: 'api',
  limits: { ...limits, perMinute: 120 },
  idempotent: true,
})

const hexIndex = v.string()
const wirePath = v.object({ index: hexIndex, path: v.array(v.string()) })
const inclusionRecord = v.object({
  checksum: v.string(),
  proofIndex: v.string(),
  proofSubtree: v.string(),
  size: v.string(),
})
const wireProof = v.object({
  verifierData: v.object({ commPc: v.string(), sizePc: v.string() }),
  inclusionProof: v.object({ proofIndex: wirePath, proofSubtree: wirePath, indexRecord: inclusionRecord }),
  indexRecord: inclusionRecord,
})

/** `GET /api/lighthouse/get_proof`: returns inclusion proofs of a CID, in the formats of published clients. */
export const getProof = defineCall({
  id: 'getProof',
  method: 'GET',
  path: '/api/lighthouse/get_proof',
  host: 'api',
  tag: 'Proofs',
  summary: 'Get the inclusion proof (PoDSI) of a CID',
  description:
    'Proof of data-segment inclusion (FRC-0058) for each deal. Hashes, indices and sizes are hex without 0x. Returns 400 until the content is in a deal.',
  auth: 'none',
  query: cidQuery,
  response: {
    kind: 'json',
    schema: v.object({
      pieceCID: v.string(),
      pieceSize: v.number(),
      carFileSize: v.number(),
      proof: v.object({ pieceCID: v.string(), id: v.string(), lastUpdate: v.number(), fileProof: wireProof }),
      dealInfo: v.array(
        v.object({ dealId: v.number(), dealUUID: v.string(), storageProvider: v.string(), proof: wireProof }),
      ),
      previousAggregates: v.array(v.string()),
    }),
  },
  errors: ['INVALID_CID', 'PROOF_NOT_FOUND'],
  dialect: 'api',
  limits: { ...limits, perMinute: 120 },
  idempotent: true,
})

/** `GET /api/lighthouse/pdp_deal_status`: in the format of the published documentation. */
export const getPdpDealStatus = defineCall({
  id: 'getPdpDealStatus',
  method: 'GET',
  path: '/api/lighthouse/pdp_deal_status',
  host: 'api',
  tag: 'Proofs',
  summary: 'List the providers that prove possession of a CID',
  auth: 'none',
  query: cidQuery,
  response: {
    kind: 'json',
    schema: v.array(
      v.object({
        id: v.string(),
        cid: v.string(),
        publicKey: v.string(),
        dealStatus: v.string(),
        createdAt: v.string(),
        updatedAt: v.string(),
        transactionDetails: v.object({ RootCID: v.string(), DownloadURL: v.string(), TXHash: v.string() }),
      }),
    ),
  },
  errors: ['INVALID_CID'],
  dialect: 'api',
  limits: { ...limits, perMinute: 120 },
  idempotent: true,
})

/** `GET /api/lighthouse/pdp_deal_request`: requests a deal, which Cairn makes anyway. */
export const requestPdpDeal = defineCall({
  id: 'requestPdpDeal',
  method: 'GET',
  path: '/api/lighthouse/pdp_deal_request',
  host: 'api',
  tag: 'Proofs',
  summary: 'Request proofs of possession of a CID',
  description:
    'The service creates deals and proofs for all content automatically. Returns `Success` if the CID is stored.',
  auth: 'apiKey',
  scope: 'files:write',
  query: cidQuery,
  response: { kind: 'json', schema: v.literal('Success') },
  errors: ['INVALID_CID', 'BLOCK_NOT_FOUND', ...authErrors],
  dialect: 'api',
  limits: { ...limits, perMinute: 60 },
  idempotent: true,
})
