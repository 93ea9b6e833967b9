import * as v from 'valibot'
import { authErrors, defineCall } from '../call.ts'
import { anyCidSchema, cidSchema } from '../cid.ts'
import { callTimeoutMs, jsonBodyBytesMost } from '../limits.ts'
import { challengeAnswerSchema } from './provider.ts'

const limits = { timeoutMs: callTimeoutMs }
const node: v.GenericSchema<string> = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const pieceCid = v.pipe(v.string(), v.regex(/^b[a-z2-7]{50,110}$/, 'Invalid piece CID'))
/** Rules with plain types: those of all fields together would be too deep for the compiler. Times, ms since 1970; the last is the last that a Date can be. */
const time: v.GenericSchema<number> = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(0),
  v.maxValue(8_640_000_000_000_000),
)
const size: v.GenericSchema<number> = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const base64 = /^[A-Za-z0-9+/]*={0,2}$/
/** A block of 2 MiB and what is left and right of it, in base64. */
const blockTextMost = 3 * 1024 * 1024
/** CARs of the content that one piece has. */
const carsMost = 100_000
/** Pieces that one answer describes. */
export const proofPiecesMost = 32
/** Deals that it describes of each. */
export const proofDealsMost = 32
const cidQuery = v.object({ cid: cidSchema, network: v.optional(v.pipe(v.string(), v.maxLength(32))) })

/** States of a deal; what a user sees. */
export const dealStates = ['queued', 'offered', 'kept', 'proving', 'faulted', 'failed', 'ended'] as const

const possessionCheck = v.object({
  id: v.string(),
  dealId: size,
  askedAt: time,
  outcome: v.picklist(['proved', 'wrong', 'silent']),
  reason: v.nullable(v.string()),
  nonce: node,
  /** Where the nonce came from: `random`, or a block of a chain. */
  nonceSource: v.string(),
  leafCount: size,
  /** As the provider signed it; kept for the newest ones only. */
  answer: v.nullable(challengeAnswerSchema),
})
/** A challenge to a provider, and what came of it. */
export type PossessionCheck = v.InferOutput<typeof possessionCheck>

const deal = v.object({
  id: size,
  provider: v.object({
    name: v.string(),
    kind: v.picklist(['cairn', 'filecoin']),
    /** Public key its proofs are signed with; null before the first. */
    key: v.nullable(v.string()),
    /** Where it answers; null where strangers cannot ask it. */
    url: v.nullable(v.string()),
  }),
  state: v.picklist(dealStates),
  since: time,
  keptSince: v.nullable(time),
  provenAt: v.nullable(time),
  proofs: size,
  faults: size,
  nextCheckAt: v.nullable(time),
  /** Since when the provider has not answered the challenge that is open; null when it answered the last one. */
  silentSince: v.nullable(time),
  retrievalUrl: v.nullable(v.string()),
  error: v.nullable(v.string()),
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
   * Where the CARs that hold blocks of the content lie in the piece, in payload bytes. A large one goes over several pieces,
   * cut between blocks: only its first part has the header.
   */
  cars: v.pipe(v.array(v.object({ offset: size, length: size, isHeaded: v.boolean() })), v.maxLength(carsMost)),
  /** Where the root block of the CID lies in this piece, with the bytes around it; null where it lies in another. */
  block: v.nullable(
    v.object({
      /** Of the block itself, in payload bytes. */
      offset: size,
      length: size,
      /** The bytes proven: from `from` on, in base64, with the nodes beside them. */
      from: size,
      bytes: v.pipe(v.string(), v.maxLength(blockTextMost), v.regex(base64)),
      path: v.pipe(v.array(node), v.maxLength(128)),
    }),
  ),
  aggregate: v.nullable(
    v.object({
      piece: v.string(),
      pieceV1: v.string(),
      paddedBytes: size,
      /** Where the piece lies in it, in padded bytes, and which entry of the index it is. */
      offset: size,
      copies: size,
      inclusion: v.object({ subtree: merklePath, entry: merklePath }),
      deals: v.pipe(
        v.array(v.object({ ...deal.entries, lastProof: v.nullable(possessionCheck) })),
        v.maxLength(proofDealsMost),
      ),
    }),
  ),
})

/** What there is to check about one piece of some content. */
export type PieceProof = v.InferOutput<typeof pieceProofSchema>
/** The schema with its type said plainly: the compiler gives up on one so deep. */
const pieceProof: v.GenericSchema<PieceProof> = pieceProofSchema

/** `GET /api/proofs/{cid}`: all there is to check about where a CID is stored. */
export const getProofs = defineCall({
  id: 'getProofs',
  method: 'GET',
  path: '/api/proofs/{cid}',
  host: 'api',
  tag: 'Proofs',
  summary: 'Proofs of storage of a CID',
  description:
    'From the root block to its piece, from the piece to the aggregate, and the last proof of every provider that keeps it. A client checks it all by itself: `cairn verify` and `verifyStorage` of the SDK do. Pieces are listed for every pack that the content needs, 32 at a time; `aggregate` is null while a piece waits to be put into one.',
  auth: 'none',
  params: v.object({ cid: anyCidSchema }),
  query: v.object({
    /** How many pieces were seen on the pages before. */
    from: v.optional(v.pipe(v.string(), v.regex(/^\d{1,6}$/), v.transform(Number))),
  }),
  response: {
    kind: 'json',
    schema: v.object({
      cid: v.string(),
      /** Period of challenges in ms: a copy that was not proven for longer is counted as lost. */
      challengeMs: size,
      /** Packs of the content that no piece has yet, and pieces on later pages. */
      waitingPacks: size,
      furtherPieces: size,
      pieces: v.pipe(v.array(pieceProof), v.maxLength(proofPiecesMost)),
    }),
  },
  errors: ['INVALID_CID', 'BLOCK_NOT_FOUND', 'PROOF_NOT_FOUND', 'DATA_DAMAGED', 'PIECE_DAMAGED'],
  dialect: 'api',
  limits: { timeoutMs: 30_000, perMinute: 120 },
  idempotent: true,
})

/** `GET /api/pieces/{piece}/checks`: every challenge to the providers of a piece, newest first. */
export const listChecks = defineCall({
  id: 'listChecks',
  method: 'GET',
  path: '/api/pieces/{piece}/checks',
  host: 'api',
  tag: 'Proofs',
  summary: 'History of challenges of a piece',
  description:
    'Of a piece or of the aggregate it lies in. `after` is the id of the last row seen. The answers themselves are kept for the newest only.',
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

/** `GET /api/aggregates/{piece}/payload`: what a provider fetches. */
export const getAggregatePayload = defineCall({
  id: 'getAggregatePayload',
  method: 'GET',
  path: '/api/aggregates/{piece}/payload',
  host: 'api',
  tag: 'Proofs',
  summary: 'Bytes of an aggregate, for its providers',
  description: 'With the token that the offer carried. One range may be asked for.',
  auth: 'none',
  params: v.object({ piece: pieceCid }),
  response: { kind: 'bytes' },
  errors: ['UNAUTHENTICATED', 'PIECE_NOT_FOUND', 'INVALID_RANGE', 'DATA_DAMAGED'],
  dialect: 'api',
  limits: {},
  idempotent: true,
})

/** `GET /api/user/copies`: how many providers keep what the account stores. */
export const getCopies = defineCall({
  id: 'getCopies',
  method: 'GET',
  path: '/api/user/copies',
  host: 'api',
  tag: 'Proofs',
  summary: 'Replication factor of the account',
  auth: 'apiKey',
  scope: 'files:read',
  response: { kind: 'json', schema: v.object({ copies: v.number(), usual: v.number(), most: v.number() }) },
  errors: [...authErrors],
  dialect: 'api',
  limits,
  idempotent: true,
})

/** `PUT /api/user/copies`: sets it. */
export const setCopies = defineCall({
  id: 'setCopies',
  method: 'PUT',
  path: '/api/user/copies',
  host: 'api',
  tag: 'Proofs',
  summary: 'Set the replication factor of the account',
  description:
    'Holds for what the account stores from now on, and raises that of what it stored before. Lowering it leaves existing copies where they are.',
  auth: 'apiKey',
  scope: 'account',
  body: {
    kind: 'json',
    schema: v.object({ copies: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(20)) }),
  },
  response: { kind: 'json', schema: v.object({ copies: v.number(), usual: v.number(), most: v.number() }) },
  errors: [...authErrors],
  dialect: 'api',
  limits: { ...limits, bodyBytes: jsonBodyBytesMost, perMinute: 30 },
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

/** `GET /api/lighthouse/deal_status`: the deals of a CID, in the forms that published clients read. */
export const getDealStatus = defineCall({
  id: 'getDealStatus',
  method: 'GET',
  path: '/api/lighthouse/deal_status',
  host: 'api',
  tag: 'Proofs',
  summary: 'Deals of a CID',
  description:
    'An empty list while there is no deal yet. Epochs count 30 seconds from the genesis of the Filecoin network; `endEpoch` is 0, for deals here end when nobody needs them. `getProofs` says more.',
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

/** `GET /api/lighthouse/get_proof`: inclusion proofs of a CID, in the forms that published clients read. */
export const getProof = defineCall({
  id: 'getProof',
  method: 'GET',
  path: '/api/lighthouse/get_proof',
  host: 'api',
  tag: 'Proofs',
  summary: 'Inclusion proof (PoDSI) of a CID',
  description:
    'Proof of data-segment inclusion (FRC-0058) for each deal. Hashes, indices and sizes are hex without 0x. 400 while the content lies in no deal yet.',
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

/** `GET /api/lighthouse/pdp_deal_status`: as published documentation has it. */
export const getPdpDealStatus = defineCall({
  id: 'getPdpDealStatus',
  method: 'GET',
  path: '/api/lighthouse/pdp_deal_status',
  host: 'api',
  tag: 'Proofs',
  summary: 'Providers that prove possession of a CID',
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

/** `GET /api/lighthouse/pdp_deal_request`: asks for what is done anyhow. */
export const requestPdpDeal = defineCall({
  id: 'requestPdpDeal',
  method: 'GET',
  path: '/api/lighthouse/pdp_deal_request',
  host: 'api',
  tag: 'Proofs',
  summary: 'Ask for proofs of possession of a CID',
  description:
    'Everything stored is dealt and proven without being asked for; this answers `Success` where the CID is stored.',
  auth: 'apiKey',
  scope: 'files:write',
  query: cidQuery,
  response: { kind: 'json', schema: v.literal('Success') },
  errors: ['INVALID_CID', 'BLOCK_NOT_FOUND', ...authErrors],
  dialect: 'api',
  limits: { ...limits, perMinute: 60 },
  idempotent: true,
})
