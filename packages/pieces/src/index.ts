export { type Aggregate, type AggregatePart, aggregateHeightFor, buildAggregate, listParts } from './aggregate.ts'
export { type ByteRangeProof, proveByteRange, verifyByteRange } from './byte-range.ts'
export {
  type ChallengeClaim,
  challengeStatement,
  providerId,
  signChallenge,
  verifyChallenge,
} from './challenge-statement.ts'
export {
  countLeaves,
  coversWindow,
  listContentWindows,
  listPayloadRanges,
  type PayloadRange,
} from './content.ts'
export { createPieceHasher, hashKeptNodes, hashPiece, type PieceHasher } from './hasher.ts'
export { type InclusionProof, type MerklePath, resolveAggregate } from './inclusion.ts'
export {
  keptLevel,
  keptPayloadBytes,
  maxHeight,
  type Piece,
  type PieceTree,
  paddedBytesOf,
  payloadCapacity,
} from './piece.ts'
export { encodePieceCid, encodePieceCidV1, parsePieceCid } from './piece-cid.ts'
export {
  challengeLeaves,
  maxChallengeLeaves,
  type PossessionProof,
  provePossession,
  type ReadPayload,
  verifyPossession,
} from './possession.ts'
export { encodeEntry, type Segment } from './segment.ts'
export { levelsAbove, zeroNode } from './tree.ts'
