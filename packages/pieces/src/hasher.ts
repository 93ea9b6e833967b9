import { CairnError } from '@cairn/protocol'
import { padFr32 } from './fr32.ts'
import {
  heightFor,
  keptLevel,
  keptPayloadBytes,
  maxHeight,
  nodeBytes,
  type PieceTree,
  payloadCapacity,
  quadPaddedBytes,
  quadPayloadBytes,
} from './piece.ts'
import { hashLevel, rootAbove, zeroNode } from './tree.ts'

/** Kept nodes per computation: a MiB of padded bytes. */
const nodesInOneGo = 32

/** Computes a piece commitment as bytes arrive. */
export type PieceHasher = {
  /**
   * Adds the next bytes; the caller may reuse them immediately.
   * @throws CairnError PIECE_TOO_LARGE beyond 64 GiB padded
   */
  write(bytes: Uint8Array): void
  /**
   * As {@link write} with `length` zeros, without hashing most of them.
   * @throws CairnError PIECE_TOO_LARGE
   */
  writeZeros(length: number): void
  /**
   * Returns the commitment, once, after the last byte.
   * @throws CairnError INVALID_REQUEST without bytes
   */
  finish(): PieceTree
}

/**
 * Starts a commitment. Uses 2.5 MiB of memory, plus 32 bytes per 32 KiB of payload.
 * @see https://github.com/filecoin-project/FIPs/blob/master/FRCs/frc-0069.md
 */
export function createPieceHasher(): PieceHasher {
  const staged = new Uint8Array(nodesInOneGo * keptPayloadBytes)
  const padded = new Uint8Array(nodesInOneGo * (nodeBytes << keptLevel))
  const above = new Uint8Array(padded.length / 2)
  let nodes = new Uint8Array(nodesInOneGo * nodeBytes)
  let nodeCount = 0
  let stagedBytes = 0
  let payloadBytes = 0

  const keep = (computed: Uint8Array): void => {
    const end = nodeCount * nodeBytes + computed.length
    if (end > nodes.length) {
      const larger = new Uint8Array(Math.max(end, nodes.length * 2))
      larger.set(nodes)
      nodes = larger
    }
    nodes.set(computed, nodeCount * nodeBytes)
    nodeCount += computed.length / nodeBytes
  }
  const flush = (): void => {
    if (stagedBytes === 0) return
    const count = Math.ceil(stagedBytes / keptPayloadBytes)
    keep(hashKept(staged.fill(0, stagedBytes).subarray(0, count * keptPayloadBytes), padded, above))
    stagedBytes = 0
  }

  const count = (length: number): void => {
    payloadBytes += length
    if (payloadBytes > payloadCapacity(maxHeight)) {
      throw new CairnError('PIECE_TOO_LARGE', { details: { limitBytes: payloadCapacity(maxHeight) } })
    }
  }

  return {
    write(bytes) {
      count(bytes.length)
      for (let offset = 0; offset < bytes.length; ) {
        const part = bytes.subarray(offset, offset + staged.length - stagedBytes)
        staged.set(part, stagedBytes)
        stagedBytes += part.length
        offset += part.length
        if (stagedBytes === staged.length) flush()
      }
    },
    writeZeros(length) {
      count(length)
      for (let left = length; left > 0; ) {
        const filled = stagedBytes % keptPayloadBytes
        if (filled === 0 && left >= keptPayloadBytes) {
          flush()
          const nodeCount = Math.floor(left / keptPayloadBytes)
          keep(repeatNode(zeroNode(keptLevel), nodeCount))
          left -= nodeCount * keptPayloadBytes
          continue
        }
        const part = Math.min(left, keptPayloadBytes - filled)
        staged.fill(0, stagedBytes, stagedBytes + part)
        stagedBytes += part
        left -= part
        if (stagedBytes === staged.length) flush()
      }
    },
    finish() {
      if (payloadBytes === 0)
        throw new CairnError('INVALID_REQUEST', { message: 'A piece must have at least one byte' })
      const height = heightFor(payloadBytes)
      if (height < keptLevel) {
        const quads = Math.ceil(payloadBytes / quadPayloadBytes)
        const payload = staged.fill(0, stagedBytes).subarray(0, quads * quadPayloadBytes)
        const leaves = padded.subarray(0, quads * quadPaddedBytes)
        padFr32(payload, leaves)
        const root = rootAbove(leaves.slice(), 0, height)
        return { piece: { root, height, payloadBytes }, nodes: root }
      }
      flush()
      const kept = nodes.slice(0, nodeCount * nodeBytes)
      return { piece: { root: rootAbove(kept, keptLevel, height).slice(), height, payloadBytes }, nodes: kept }
    },
  }
}

function repeatNode(node: Uint8Array, count: number): Uint8Array {
  const nodes = new Uint8Array(count * nodeBytes)
  for (let at = 0; at < nodes.length; at += nodeBytes) nodes.set(node, at)
  return nodes
}

/**
 * Returns the kept nodes over a whole number of their payloads. `padded` and `above` are work buffers, for the padded
 * payload and half of it; the nodes are in one of them.
 */
function hashKept(payload: Uint8Array, padded: Uint8Array, above: Uint8Array): Uint8Array {
  const leaves = padded.subarray(0, (payload.length / quadPayloadBytes) * quadPaddedBytes)
  padFr32(payload, leaves)
  let level: Uint8Array = leaves
  // New memory for each level would be as much as the payload, all of it left to the garbage collector.
  for (let at = 0; at < keptLevel; at++) level = hashLevel(level, at % 2 === 0 ? above : padded)
  return level
}

/**
 * Returns the nodes that a tree keeps over a part of a payload, which starts at a multiple of {@link keptPayloadBytes};
 * zeros fill the last one. Comparing them with those of the tree verifies the part.
 */
export function hashKeptNodes(payload: Uint8Array): Uint8Array {
  const count = Math.ceil(payload.length / keptPayloadBytes)
  const filled = new Uint8Array(count * keptPayloadBytes)
  filled.set(payload)
  const padded = new Uint8Array(count * (nodeBytes << keptLevel))
  return hashKept(filled, padded, new Uint8Array(padded.length / 2)).slice()
}

/** Returns the commitment to a stream of bytes. */
export async function hashPiece(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<PieceTree> {
  const hasher = createPieceHasher()
  for await (const bytes of source) hasher.write(bytes)
  return hasher.finish()
}
