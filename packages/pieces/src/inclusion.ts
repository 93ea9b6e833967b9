import { CairnError } from '@cairn/protocol'
import { heightMost, nodeBytes, type Piece, paddedBytesOf, roomOf } from './piece.ts'
import { encodeEntry, entriesMost, entryBytes, indexStart } from './segment.ts'
import { climb, hashLevel } from './tree.ts'

/** A place in one level of a tree and the siblings from there up to the root. */
export type MerklePath = { readonly index: number; readonly path: readonly Uint8Array[] }

/**
 * Proof of data-segment inclusion (PoDSI): `subtree` leads from the piece's root to the aggregate's, `entry` from the
 * piece's entry in the index to the same root.
 */
export type InclusionProof = { readonly subtree: MerklePath; readonly entry: MerklePath }

/**
 * The aggregate that a proof shows a piece to lie in. Compare it with the one that a provider keeps.
 * @throws CairnError PROOF_INVALID when the two paths do not lead to one root and size, or the entry lies outside the
 * index.
 * @see https://github.com/filecoin-project/FIPs/blob/master/FRCs/frc-0058.md
 */
export function resolveAggregate(piece: Pick<Piece, 'root' | 'height'>, proof: InclusionProof): Piece {
  const height = piece.height + proof.subtree.path.length
  if (height > heightMost) throw refuse('The aggregate would be larger than any')
  if (proof.entry.path.length + 1 !== height) throw refuse('The two paths lead to trees of different heights')
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
  if (place < start || place >= start + entriesMost(paddedBytes) * entryBytes) {
    throw refuse('The entry does not lie in the index')
  }
  if (offset + paddedBytesOf(piece) > start) throw refuse('The piece lies over the index')
  return { root, height, payloadBytes: roomOf(height) }
}

function checkPath({ index, path }: MerklePath, what: string): void {
  if (!Number.isSafeInteger(index) || index < 0 || index >= 2 ** path.length) {
    throw refuse(`The place of the ${what} is outside the tree`)
  }
  if (path.some((node) => node.length !== nodeBytes)) throw refuse(`A node on the path of the ${what} is not 32 bytes`)
}

/** Whether two nodes are the same. */
export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}

/** A proof that does not hold. */
export function refuse(reason: string): CairnError<'PROOF_INVALID'> {
  return new CairnError('PROOF_INVALID', { details: { reason } })
}
