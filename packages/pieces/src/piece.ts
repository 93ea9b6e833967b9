/** Bytes of a node of the tree, and of a leaf. */
export const nodeBytes = 32
/** Payload bytes that Fr32 padding makes 128 of. */
export const quadPayloadBytes = 127
export const quadPaddedBytes = 128
/** Level of the nodes that a {@link PieceTree} keeps: each covers 2^10 leaves. */
export const keptLevel = 10
/** Payload bytes below one kept node. */
export const keptPayloadBytes = (nodeBytes << keptLevel) / (quadPaddedBytes / quadPayloadBytes)
/** The highest tree there is room for: 64 GiB padded, the largest sector of the Filecoin network. */
export const heightMost = 31
/** The lowest: four leaves, which 127 payload bytes fill. */
export const heightLeast = 2

/**
 * What a piece commitment says: the root of the binary Merkle tree over the Fr32-padded payload, its height (the tree
 * has 2^height leaves of 32 bytes) and how many payload bytes there are before the zeros that fill it up.
 * @see https://spec.filecoin.io/systems/filecoin_files/piece/
 */
export type Piece = { readonly root: Uint8Array; readonly height: number; readonly payloadBytes: number }

/**
 * A piece with the nodes of one level, from which any path is found after reading 32 KiB: one node for each 32,512
 * payload bytes, or the root alone for smaller pieces. Nodes over nothing but filling zeros are left out.
 */
export type PieceTree = { readonly piece: Piece; readonly nodes: Uint8Array }

/** Bytes of the tree's leaves: the payload after padding and filling. */
export function paddedBytesOf(piece: { readonly height: number }): number {
  return nodeBytes * 2 ** piece.height
}

/** Payload bytes that a tree of this height has room for. */
export function roomOf(height: number): number {
  return (nodeBytes * 2 ** height * quadPayloadBytes) / quadPaddedBytes
}

/** Height of the smallest tree with room for a payload of this many bytes. */
export function heightFor(payloadBytes: number): number {
  let height = heightLeast
  while (roomOf(height) < payloadBytes) height++
  return height
}
