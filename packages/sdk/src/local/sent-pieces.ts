import { freePiece } from '@cairn/protocol'

const sentOnce = new WeakSet<Uint8Array>()

/** Leaves a piece of a body, which has a buffer of its own, to its sender: it is freed once it is sent, and not before. */
export function freeOnceSent(piece: Uint8Array): void {
  sentOnce.add(piece)
}

/** Frees a piece that has left this process, if its source left it to the sender. */
export function freeSent(piece: Uint8Array): void {
  if (sentOnce.has(piece)) freePiece(piece)
}
