import { CairnError } from '@cairn/protocol'
import { unpadFr32 } from './fr32.ts'
import type { InclusionProof } from './inclusion.ts'
import {
  maxHeight,
  minHeight,
  nodeBytes,
  type Piece,
  paddedBytesOf,
  payloadCapacity,
  quadPaddedBytes,
  quadPayloadBytes,
} from './piece.ts'
import { encodeEntry, entryBytes, indexStart, maxEntries, type Segment } from './segment.ts'
import { hashLevel, nodeAt, zeroNode } from './tree.ts'

/** Many pieces in one, with an index at its end: the unit that a storage provider stores. */
export type Aggregate = {
  readonly piece: Piece
  /** Position of each piece, in input order. */
  readonly segments: readonly Segment[]
  /** The index within the payload, and its position. */
  readonly index: { readonly payloadOffset: number; readonly payload: Uint8Array }
  /** Proves that a piece, by its input index from 0, is part of the aggregate and of its index. */
  prove(segment: number): InclusionProof
}

/** A part of the payload of an aggregate: bytes of a piece, of the index, or zeros. All in payload bytes. */
export type AggregatePart =
  | { readonly kind: 'piece'; readonly segment: number; readonly payloadOffset: number; readonly capacity: number }
  | { readonly kind: 'index'; readonly payloadOffset: number }

/**
 * Packs pieces into the smallest aggregate that fits them and their index, largest first, each at a multiple of its own
 * size.
 * @throws CairnError PIECE_TOO_LARGE beyond 64 GiB; INVALID_REQUEST without pieces
 * @see https://github.com/filecoin-project/FIPs/blob/master/FRCs/frc-0058.md
 */
export function buildAggregate(pieces: readonly Piece[]): Aggregate {
  const { segments, height } = layOutAggregate(pieces)
  const tree = createSparseTree(height)
  for (const segment of segments) tree.set(segment.height, segment.offset / paddedBytesOf(segment), segment.root)
  const paddedBytes = nodeBytes * 2 ** height
  const start = indexStart(paddedBytes)
  const index = new Uint8Array(paddedBytes - start)
  // The index is ordered by position, as readers that walk it expect.
  const order = segments.map((_, at) => at).toSorted((a, b) => offsetOf(segments, a) - offsetOf(segments, b))
  const entryOf = new Map(order.map((segment, entry) => [segment, entry]))
  for (const [segment, entry] of entryOf) {
    const place = segments[segment]
    if (place === undefined) continue
    const bytes = encodeEntry(place)
    index.set(bytes, entry * entryBytes)
    const leaf = start / nodeBytes + entry * 2
    tree.set(0, leaf, bytes.subarray(0, nodeBytes))
    tree.set(0, leaf + 1, bytes.subarray(nodeBytes))
  }
  const root = tree.hash()
  // Computed on demand: it dominates the cost of large aggregates, and proofs do not need it.
  let payload: Uint8Array | undefined
  return {
    piece: { root, height, payloadBytes: payloadCapacity(height) },
    segments,
    index: {
      payloadOffset: toPayload(start),
      get payload() {
        payload ??= unpadFr32(index)
        return payload
      },
    },
    prove(at) {
      const segment = segments[at]
      const entry = entryOf.get(at)
      if (segment === undefined || entry === undefined) throw new RangeError(`The aggregate has no piece ${at}`)
      const place = segment.offset / paddedBytesOf(segment)
      const indexPlace = start / entryBytes + entry
      return {
        subtree: { index: place, path: tree.path(segment.height, place) },
        entry: { index: indexPlace, path: tree.path(1, indexPlace) },
      }
    },
  }
}

/**
 * Returns the position of each piece of an aggregate, and the height of its tree.
 * @throws CairnError as {@link buildAggregate}
 */
export function layOutAggregate(pieces: readonly Piece[]): { segments: Segment[]; height: number } {
  if (pieces.length === 0)
    throw new CairnError('INVALID_REQUEST', { message: 'An aggregate must have at least one piece' })
  const segments = placePieces(pieces)
  const used = segments.reduce((end, segment) => Math.max(end, segment.offset + paddedBytesOf(segment)), 0)
  return { segments, height: aggregateHeightFor(used, pieces.length) }
}

/** Returns the parts of the payload of an aggregate in order; the bytes between them are zeros. */
export function listParts(aggregate: Pick<Aggregate, 'segments' | 'index'>): AggregatePart[] {
  const pieces = aggregate.segments.map((segment, at): AggregatePart => {
    return {
      kind: 'piece',
      segment: at,
      payloadOffset: toPayload(segment.offset),
      capacity: toPayload(paddedBytesOf(segment)),
    }
  })
  pieces.push({ kind: 'index', payloadOffset: aggregate.index.payloadOffset })
  return pieces.toSorted((a, b) => a.payloadOffset - b.payloadOffset)
}

function offsetOf(segments: readonly Segment[], at: number): number {
  return segments[at]?.offset ?? 0
}

function toPayload(paddedBytes: number): number {
  return (paddedBytes / quadPaddedBytes) * quadPayloadBytes
}

/** Largest first leaves no gaps: each piece starts at the end of the previous one. */
function placePieces(pieces: readonly Piece[]): Segment[] {
  const order = pieces.map((piece, at) => ({ piece, at })).toSorted((a, b) => b.piece.height - a.piece.height)
  const segments = new Array<Segment>(pieces.length)
  let offset = 0
  for (const { piece, at } of order) {
    segments[at] = { root: piece.root, height: piece.height, offset }
    offset += paddedBytesOf(piece)
  }
  return segments
}

/**
 * Returns the height of the smallest aggregate for `count` pieces with `used` padded bytes.
 * @throws CairnError PIECE_TOO_LARGE
 */
export function aggregateHeightFor(used: number, count: number): number {
  for (let height = minHeight + 1; height <= maxHeight; height++) {
    const paddedBytes = nodeBytes * 2 ** height
    if (maxEntries(paddedBytes) >= count && indexStart(paddedBytes) >= used) return height
  }
  throw new CairnError('PIECE_TOO_LARGE', { details: { limitBytes: payloadCapacity(maxHeight) } })
}

/** A tree that consists mostly of zeros. */
type SparseTree = {
  set(level: number, index: number, node: Uint8Array): void
  /** Computes all nodes above the given ones, once; returns the root. */
  hash(): Uint8Array
  path(level: number, index: number): Uint8Array[]
}

function createSparseTree(height: number): SparseTree {
  const levels: Map<number, Uint8Array>[] = Array.from({ length: height + 1 }, () => new Map())
  const nodeOf = (level: number, index: number): Uint8Array => levels[level]?.get(index) ?? zeroNode(level)
  return {
    set(level, index, node) {
      levels[level]?.set(index, node)
    },
    hash() {
      for (let level = 0; level < height; level++) {
        const above = levels[level + 1]
        const parents = new Set<number>()
        for (const index of levels[level]?.keys() ?? []) {
          const parent = Math.floor(index / 2)
          if (above?.has(parent) !== true) parents.add(parent)
        }
        // All pairs of a level in one call: single calls would cost more than the hashes.
        const pairs = new Uint8Array(parents.size * 2 * nodeBytes)
        let at = 0
        for (const parent of parents) {
          pairs.set(nodeOf(level, parent * 2), at)
          pairs.set(nodeOf(level, parent * 2 + 1), at + nodeBytes)
          at += 2 * nodeBytes
        }
        const hashed = hashLevel(pairs)
        let next = 0
        for (const parent of parents) above?.set(parent, nodeAt(hashed, next++))
      }
      return nodeOf(height, 0)
    },
    path(level, index) {
      const path: Uint8Array[] = []
      for (let at = level, place = index; at < height; at++, place = Math.floor(place / 2)) {
        path.push(nodeOf(at, place % 2 === 0 ? place + 1 : place - 1))
      }
      return path
    },
  }
}
