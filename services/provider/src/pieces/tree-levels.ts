import { keptLevel, keptPayloadBytes, levelsAbove, type Piece, type PieceTree, zeroNode } from '@cairn/pieces'

export const nodeBytes = 32

/**
 * Concatenates all levels of a tree from the kept one to the root. A level with an odd number of nodes ends with the
 * node over zeros, so that each node but the root has a sibling.
 */
export function layOutLevels({ piece, nodes }: PieceTree): Uint8Array {
  const first = Math.min(keptLevel, piece.height)
  const parts = levelsAbove(nodes, first, piece.height).flatMap((level, at) =>
    hasFiller(piece, level.length / nodeBytes, first + at) ? [level, zeroNode(first + at)] : [level],
  )
  return Buffer.concat(parts)
}

/** Returns the length of the result of {@link layOutLevels}. */
export function levelsBytes(piece: Piece): number {
  return offsetsOf(piece).end
}

/** Returns the offsets of the siblings on the path from a kept node to the root, from the kept level up. */
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
