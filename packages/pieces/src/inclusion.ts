import { CairnError, proofReason, type Reason } from '@cairn/protocol'
import { maxHeight, nodeBytes, type Piece, paddedBytesOf, payloadCapacity } from './piece.ts'
import { encodeEntry, entryBytes, indexStart, maxEntries } from './segment.ts'
import { climb, hashLevel } from './tree.ts'

/** A position in one level of a tree, and the siblings from there up to the root. */
export type MerklePath = { readonly index: number; readonly path: readonly Uint8Array[] }

/**
 * Proof of data-segment inclusion (PoDSI): `subtree` leads from the root of the piece to that of the aggregate, `entry`
 * from the entry of the piece in the index to the same root.
 */
export type InclusionProof = { readonly subtree: MerklePath; readonly entry: MerklePath }

/**
 * Returns the aggregate that a proof shows a piece to be part of. Compare it with the one that a provider stores.
 * @throws CairnError PROOF_INVALID if the two paths do not lead to one root and size, or the entry is outside the index
 * @see https://github.com/filecoin-project/FIPs/blob/master/FRCs/frc-0058.md
 */
export function resolveAggregate(piece: Pick<Piece, 'root' | 'height'>, proof: InclusionProof): Piece {
  const height = piece.height + proof.subtree.path.length
  if (height > maxHeight) throw refuse(proofReason('AGGREGATE_TOO_LARGE'))
  if (proof.entry.path.length + 1 !== height) throw refuse(proofReason('PATHS_DIFFER_IN_HEIGHT'))
  checkPath(proof.subtree, 'PIECE')
  checkPath(proof.entry, 'ENTRY')
  const root = climb(piece.root, proof.subtree.index, proof.subtree.path)
  const offset = proof.subtree.index * paddedBytesOf(piece)
  const entry = hashLevel(encodeEntry({ root: piece.root, height: piece.height, offset }))
  if (!isSame(root, climb(entry, proof.entry.index, proof.entry.path))) {
    throw refuse(proofReason('PATHS_DIFFER_IN_ROOT'))
  }
  const paddedBytes = paddedBytesOf({ height })
  const start = indexStart(paddedBytes)
  const place = proof.entry.index * entryBytes
  if (place < start || place >= start + maxEntries(paddedBytes) * entryBytes) {
    throw refuse(proofReason('ENTRY_OUTSIDE_INDEX'))
  }
  if (offset + paddedBytesOf(piece) > start) throw refuse(proofReason('PIECE_OVERLAPS_INDEX'))
  return { root, height, payloadBytes: payloadCapacity(height) }
}

function checkPath({ index, path }: MerklePath, what: 'PIECE' | 'ENTRY'): void {
  if (!Number.isSafeInteger(index) || index < 0 || index >= 2 ** path.length) {
    throw refuse(proofReason(`${what}_OUTSIDE_TREE`))
  }
  if (path.some((node) => node.length !== nodeBytes)) throw refuse(proofReason(`${what}_NODE_LENGTH`))
}

/** Returns whether two nodes are equal. */
export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}

/** Returns the error for an invalid proof. */
export function refuse(details: Reason): CairnError<'PROOF_INVALID'> {
  return new CairnError('PROOF_INVALID', { details })
}
