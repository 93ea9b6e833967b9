import { freePiece } from '@cairn/protocol'

const sentOnce = new WeakSet<Uint8Array>()

/** Passes a piece of a body, with its own buffer, to its sender, which frees it once it is sent. */
export function freeOnceSent(piece: Uint8Array): void {
  sentOnce.add(piece)
}

/** Frees a piece that has left this process, if its source left it to the sender. */
export function freeSent(piece: Uint8Array): void {
  if (sentOnce.has(piece)) freePiece(piece)
}
