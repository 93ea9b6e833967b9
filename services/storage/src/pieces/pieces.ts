// Packs become pieces, and pieces become aggregates. This is the face of the folder.
export { raiseAllCopies, readCopies, writeCopies } from './copies.ts'
export { dropPiece } from './drop-piece.ts'
export { findContent } from './find-content.ts'
export { createPieceHashing } from './hashing.ts'
export { makeAggregates, toPiece } from './make-aggregates.ts'
export { makePieces, type PieceMaking } from './make-pieces.ts'
export { type PackedPart, readPacks, toParts } from './payload.ts'
export {
  type AggregateRow,
  findPacksIn,
  findPacksOfAll,
  findPiecesOf,
  type PiecePackRow,
  type PieceRow,
} from './store.ts'
export { sweepTrees } from './sweep-trees.ts'
export { readTree } from './tree-object.ts'
