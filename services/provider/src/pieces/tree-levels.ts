import { keptLevel, keptPayloadBytes, levelsAbove, type Piece, type PieceTree, zeroNode } from '@cairn/pieces'

export const nodeBytes = 32

/**
 * All levels of a tree from the kept one to the root, one after the other. A level with an odd number of nodes has the node
 * over zeros at its end, so that each node but the root has its sibling beside it.
 */
export function layOutLevels({ piece, nodes }: PieceTree): Uint8Array {
  const first = Math.min(keptLevel, piece.height)
  const parts = levelsAbove(nodes, first, piece.height).flatMap((level, at) =>
    hasFiller(piece, level.length / nodeBytes, first + at) ? [level, zeroNode(first + at)] : [level],
  )
  return Buffer.concat(parts)
}

/** Length of what {@link layOutLevels} makes. */
export function levelsBytes(piece: Piece): number {
  return offsetsOf(piece).end
}

/** Where the siblings on the way from a kept node to the root are, from the kept level up. */
export function siblingOffsets(piece: Piece, kept: number): number[] {
  return offsetsOf(piece)
    .starts.slice(0, -1)
    .map((start, up) => start + (Math.floor(kept / 2 ** up) ^ 1) * nodeBytes)
}

function offsetsOf(piece: Piece): { starts: number[]; end: number } {
  const starts: number[] = []
  let end = 0
  let count = piece.height < keptLevel ? 1 : Math.ceil(piece.payloadBytes / keptPayloadBytes)
  for (let level = Math.min(keptLevel, piece.height); level <= piece.height; level++) {
    starts.push(end)
    end += (count + (hasFiller(piece, count, level) ? 1 : 0)) * nodeBytes
    count = Math.ceil(count / 2)
  }
  return { starts, end }
}

function hasFiller(piece: Piece, count: number, level: number): boolean {
  return count % 2 === 1 && level < piece.height
}
