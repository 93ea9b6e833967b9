import { hashPairs } from '#hash-pairs'
import { maxHeight, nodeBytes } from './piece.ts'

/**
 * Returns the level above `nodes`: SHA-256 of each pair, its two highest bits cleared so that it fits the field.
 * @param into memory for it, of at least half the length of `nodes`
 * @see https://spec.filecoin.io/algorithms/sdr/#section-algorithms.sdr.merkle-dag
 */
export function hashLevel(nodes: Uint8Array, into: Uint8Array = new Uint8Array(nodes.length / 2)): Uint8Array {
  const above = into.subarray(0, nodes.length / 2)
  hashPairs(nodes, above)
  truncateNodes(above)
  return above
}

/** As {@link hashLevel}, for a level with a power of two as length, or completed with the zeros of `level`. */
function hashUp(nodes: Uint8Array, level: number): Uint8Array {
  if ((nodes.length / nodeBytes) % 2 === 0) return hashLevel(nodes)
  const even = new Uint8Array(nodes.length + nodeBytes)
  even.set(nodes)
  even.set(zeroNode(level), nodes.length)
  return hashLevel(even)
}

/** Returns the node over two others. */
function hashPair(left: Uint8Array, right: Uint8Array): Uint8Array {
  const pair = new Uint8Array(2 * nodeBytes)
  pair.set(left)
  pair.set(right, nodeBytes)
  return hashLevel(pair)
}

function truncateNodes(nodes: Uint8Array): void {
  for (let last = nodeBytes - 1; last < nodes.length; last += nodeBytes) nodes[last] = (nodes[last] ?? 0) & 0x3f
}

const zeros: Uint8Array[] = [new Uint8Array(nodeBytes)]

/** Returns the node of this level over zeros only. Do not modify it. */
export function zeroNode(level: number): Uint8Array {
  if (level < 0 || level > maxHeight) throw new RangeError(`A tree cannot have ${level} levels`)
  for (let known = zeros.length; known <= level; known++) {
    const below = zeros[known - 1] ?? new Uint8Array(nodeBytes)
    zeros.push(hashPair(below, below))
  }
  return zeros[level] ?? new Uint8Array(nodeBytes)
}

/** Returns one node of a level. */
export function nodeAt(nodes: Uint8Array, index: number): Uint8Array {
  return nodes.subarray(index * nodeBytes, (index + 1) * nodeBytes)
}

/** Returns the root above a level of a tree of the given height; missing nodes at the end of the level are zeros. */
export function rootAbove(nodes: Uint8Array, level: number, height: number): Uint8Array {
  let current = nodes
  for (let at = level; at < height; at++) current = hashUp(current, at)
  return current
}

/** Returns every level from `nodes` up, the root last. */
export function levelsAbove(nodes: Uint8Array, level: number, height: number): Uint8Array[] {
  const levels = [nodes]
  for (let at = level, current = nodes; at < height; at++) {
    current = hashUp(current, at)
    levels.push(current)
  }
  return levels
}

/** Returns the siblings on the way from a node to the root, from the result of {@link levelsAbove}. */
export function pathIn(levels: readonly Uint8Array[], level: number, index: number): Uint8Array[] {
  const path: Uint8Array[] = []
  let at = index
  for (let up = 0; up < levels.length - 1; up++) {
    const nodes = levels[up] ?? new Uint8Array()
    const sibling = at % 2 === 0 ? at + 1 : at - 1
    path.push((sibling + 1) * nodeBytes <= nodes.length ? nodeAt(nodes, sibling) : zeroNode(level + up))
    at = Math.floor(at / 2)
  }
  return path
}

/** Returns the root that a node at `index` leads to with a path of siblings. */
export function climb(node: Uint8Array, index: number, path: readonly Uint8Array[]): Uint8Array {
  let at = index
  let current = node
  for (const sibling of path) {
    current = at % 2 === 0 ? hashPair(current, sibling) : hashPair(sibling, current)
    at = Math.floor(at / 2)
  }
  return current
}
