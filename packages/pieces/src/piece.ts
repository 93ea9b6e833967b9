/** Bytes of a node of the tree, and of a leaf. */
export const nodeBytes = 32
/** Payload bytes that Fr32 padding turns into 128. */
export const quadPayloadBytes = 127
export const quadPaddedBytes = 128
/** Level of the nodes that a {@link PieceTree} keeps: each covers 2^10 leaves. */
export const keptLevel = 10
/** Payload bytes below one kept node. */
export const keptPayloadBytes = (nodeBytes << keptLevel) / (quadPaddedBytes / quadPayloadBytes)
/** Maximum height of a tree: 64 GiB padded, the largest sector of the Filecoin network. */
export const maxHeight = 31
/** Minimum height: four leaves, which 127 payload bytes fill. */
export const minHeight = 2

/**
 * Fields of a piece commitment: the root of the binary Merkle tree over the Fr32-padded payload, its height (the tree
 * has 2^height leaves of 32 bytes) and the number of payload bytes before the filling zeros.
 * @see https://spec.filecoin.io/systems/filecoin_files/piece/
 */
export type Piece = { readonly root: Uint8Array; readonly height: number; readonly payloadBytes: number }

/**
 * A piece with the nodes of one level, from which any path is computed after reading 32 KiB: one node per 32,512
 * payload bytes, or the root alone for smaller pieces. Omits nodes over filling zeros only.
 */
export type PieceTree = { readonly piece: Piece; readonly nodes: Uint8Array }

/** Returns the bytes of the leaves of the tree: the payload after padding and filling. */
export function paddedBytesOf(piece: { readonly height: number }): number {
  return nodeBytes * 2 ** piece.height
}

/** Returns the maximum payload bytes of a tree of this height. */
export function payloadCapacity(height: number): number {
  return (nodeBytes * 2 ** height * quadPayloadBytes) / quadPaddedBytes
}

/** Returns the height of the smallest tree that fits a payload of this many bytes. */
export function heightFor(payloadBytes: number): number {
  let height = minHeight
  while (payloadCapacity(height) < payloadBytes) height++
  return height
}
