import { CairnError } from '@cairn/protocol'
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
  if (height > maxHeight) throw refuse('The aggregate exceeds the largest supported size')
  if (proof.entry.path.length + 1 !== height) throw refuse('The two paths are from trees of different heights')
  checkPath(proof.subtree, 'piece')
  checkPath(proof.entry, 'index entry')
  const root = climb(piece.root, proof.subtree.index, proof.subtree.path)
  const offset = proof.subtree.index * paddedBytesOf(piece)
  const entry = hashLevel(encodeEntry({ root: piece.root, height: piece.height, offset }))
  if (!isSame(root, climb(entry, proof.entry.index, proof.entry.path))) {
    throw refuse('The two paths do not lead to the same root')
  }
  const paddedBytes = paddedBytesOf({ height })
  const start = indexStart(paddedBytes)
  const place = proof.entry.index * entryBytes
  if (place < start || place >= start + maxEntries(paddedBytes) * entryBytes) {
    throw refuse('The entry is outside the index')
  }
  if (offset + paddedBytesOf(piece) > start) throw refuse('The piece overlaps the index')
  return { root, height, payloadBytes: payloadCapacity(height) }
}

function checkPath({ index, path }: MerklePath, what: string): void {
  if (!Number.isSafeInteger(index) || index < 0 || index >= 2 ** path.length) {
    throw refuse(`The position of the ${what} is outside the tree`)
  }
  if (path.some((node) => node.length !== nodeBytes)) throw refuse(`A node on the path of the ${what} is not 32 bytes`)
}

/** Returns whether two nodes are equal. */
export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}

/** Returns the error for an invalid proof. */
export function refuse(reason: string): CairnError<'PROOF_INVALID'> {
  return new CairnError('PROOF_INVALID', { details: { reason } })
}
